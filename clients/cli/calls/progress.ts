// Progress for people: one line that rewrites itself on a terminal, one line per event in a pipe.

import type { Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { cutToWidth } from '../output/text-width.ts'

export interface ProgressLine {
  show(event: Readonly<Record<string, unknown>>): void
  /** Must be called before anything else is printed. */
  clear(): void
}

const to_line_start = '\r\x1b[2K'
const bar_cells = 20

export function openProgress(terminal: Terminal): ProgressLine {
  const { dim, green } = coloursOf(terminal, 'stderr')
  let is_shown = false
  return {
    show(event) {
      if (!terminal.stderr_is_tty) return terminal.err(`progress  ${describe(event)}\n`)
      const line = cutToWidth(describe(event), terminal.columns - bar_cells - 3)
      terminal.err(`${to_line_start}${bar(event.fraction, green, dim)}${line}`)
      is_shown = true
    },
    clear() {
      if (is_shown) terminal.err(to_line_start)
      is_shown = false
    },
  }
}

function describe({ fraction, stage, message }: Readonly<Record<string, unknown>>): string {
  const share = typeof fraction === 'number' ? `${Math.round(within(fraction) * 100)} %`.padStart(5) : ''
  const words = [share, stage, message].filter((part) => typeof part === 'string' && part !== '')
  return harmless(words.join('  '))
}

function bar(fraction: unknown, filled: (text: string) => string, empty: (text: string) => string): string {
  if (typeof fraction !== 'number') return ''
  const done = Math.round(within(fraction) * bar_cells)
  return `${filled('='.repeat(done))}${empty('-'.repeat(bar_cells - done))} `
}

function within(fraction: number): number {
  return Math.min(1, Math.max(0, fraction))
}
