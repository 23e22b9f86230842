// A plan and its results, for people and as JSON lines.
import type { Said } from '../admin/say.ts'
import { readable } from '../admin/say.ts'
import type { FieldChange, Plan, Step } from './plan.ts'

const signs = { create: '+', change: '~', remove: '-' } as const

export function planText(plan: Plan): string {
  const steps = stepsOf(plan)
  const lines = [
    ...steps.map(
      ({ action, what, changes }) => `${signs[action]} ${[what, ...changes.map(changeText)].join('\n    ')}`,
    ),
    ...plan.remaining.map(({ what, needs }) => `! ${what}\n    ${needs}`),
  ]
  return visible(`${[...lines, summaryText(plan)].join('\n')}\n`)
}

/** What a run would do, or did: in this order. */
export function stepsOf({ steps, removals }: Plan): readonly Step[] {
  return [...steps, ...removals]
}

function changeText({ field, before, after }: FieldChange): string {
  return before === null ? `${field}: ${after}` : `${field}: ${before} → ${after}`
}

function countsOf(plan: Plan) {
  const steps = stepsOf(plan)
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length
  const counts = { create: count('create'), change: count('change'), remove: count('remove') }
  return { ...counts, for_others: plan.remaining.length, unchanged: plan.unchanged }
}

function summaryText(plan: Plan): string {
  const { create, change, remove, for_others, unchanged } = countsOf(plan)
  const others = for_others > 0 ? `, ${for_others} for others` : ''
  return `Plan: ${create} to create, ${change} to change, ${remove} to remove${others}; ${unchanged} unchanged.`
}

/** The equivalent command beside each step; the last line is the summary. */
export function planRows(plan: Plan): object[] {
  return [
    ...stepsOf(plan).map(({ action, what, changes, args }) => ({
      ...{ action, what, changes },
      command: ['svc-engine', 'admin', ...args],
    })),
    ...plan.remaining.map((row) => ({ action: 'needs_others', ...row })),
    { action: 'plan', ...countsOf(plan) },
  ]
}

/** Links and keys exist only in what a command answers, so it is shown in whole. */
export function resultText({ action, what }: Step, output: Said): string {
  const has_secret = output.rows.some((row) => secretsOf(row).length > 0)
  const facts = has_secret ? readable(output).replace(/^(?=.)/gm, '    ') : ''
  return `${visible(`${signs[action]} ${what}: done`)}\n${facts}`
}

const secret_fields = ['link', 'api_key', 'private_key']

export function secretsOf(row: object): string[] {
  return secret_fields.filter((name) => Object.hasOwn(row, name))
}

/** Names come from outside: a control character could redraw the operator's terminal. */
function visible(text: string): string {
  return text.replace(/[^\P{Cc}\n]|\p{Cf}/gu, '\ufffd')
}
