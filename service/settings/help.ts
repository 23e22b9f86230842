// The settings of one program, for its --help.
import { defaultOf, type Program, type Setting } from './setting.ts'
import { setting_areas } from './table.ts'

export function settingsHelp(program: Program): string {
  const lines = setting_areas.flatMap(({ title, rows }) => {
    const own = Object.entries<Setting>(rows).filter(([, { programs }]) => programs.includes(program))
    return own.length === 0 ? [] : ['', title, ...own.map(([name, row]) => lineOf(name, row, program))]
  })
  return ['Settings, from the environment. NAME_FILE names a file with the value.', ...lines].join('\n')
}

function lineOf(name: string, row: Setting, program: Program): string {
  const otherwise = defaultOf(row, program)
  const note = row.required?.includes(program) ? ' (required)' : otherwise ? ` (default: ${otherwise})` : ''
  return `  ${name.padEnd(30)} ${row.meaning}${note}`
}
