// Where CPU time goes while a target is under load: its threads, its database, and the load generator.
import { readdirSync, readFileSync } from 'node:fs'

const parts = ['main thread', 'other threads', 'PostgreSQL', 'load generator'] as const
type Part = (typeof parts)[number]
/** Microseconds. */
export type CpuTimes = Readonly<Record<Part, number>>

const tick_us = 10_000
/** Field numbers of /proc/<pid>/stat, counted after the name. */
const parent = 1
const ended_children_user = 13
const ended_children_system = 14

/** Since each process started; undefined on systems without /proc. */
export function cpuTimes(pid: number): CpuTimes | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const all = sum(threads.map((thread) => busyUs(pid, thread)))
    const main = busyUs(pid, String(pid))
    const own = statOf('self')
    return {
      'main thread': main,
      'other threads': all - main,
      PostgreSQL: sum(descendantsOf(pid).map((one) => busyUs(one, String(one)))),
      // It has ended by now, so it counts as a waited-for child of this process.
      'load generator': (own[ended_children_user]! + own[ended_children_system]!) * tick_us,
    }
  } catch {
    return undefined
  }
}

export interface Spent {
  readonly calls: number
  readonly before: CpuTimes | undefined
  readonly after: CpuTimes | undefined
}

/** Microseconds per call, over several rounds. */
export function perCall(rounds: readonly Spent[]): CpuTimes | undefined {
  const calls = sum(rounds.map((round) => round.calls))
  const of = (part: Part) =>
    sum(rounds.map(({ before, after }) => (after?.[part] ?? Number.NaN) - (before?.[part] ?? Number.NaN))) /
    calls
  const times = Object.fromEntries(parts.map((part) => [part, of(part)])) as CpuTimes
  return Number.isNaN(totalOf(times)) ? undefined : times
}

/** The maximum that `cores` could do if none ever waited: no higher ratio can be measured here. */
export function printCpu(by_target: Readonly<Record<string, CpuTimes | undefined>>, cores: number): void {
  const targets = Object.entries(by_target).flatMap(([name, times]) => (times ? [{ name, times }] : []))
  if (targets.length === 0) return
  const row = (title: string, cell: (times: CpuTimes) => number) =>
    console.log(
      `  ${title.padEnd(18)}${targets.map(({ times }) => cell(times).toFixed(1).padStart(10)).join('')}`,
    )
  console.log(`\nCPU per call, µs    ${targets.map(({ name }) => name.padStart(10)).join('')}`)
  for (const part of parts) row(part, (times) => times[part])
  row('all', totalOf)
  row(`${cores} cores, calls/s`, (times) => (cores * 1e6) / totalOf(times))
}

function totalOf(times: CpuTimes): number {
  return sum(parts.map((part) => times[part]))
}

function busyUs(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000
}

function descendantsOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((one) => one > 0 && parentOf(one) === pid)
  return [...children, ...children.flatMap(descendantsOf)]
}

/** Undefined if it has ended meanwhile. */
function parentOf(pid: number): number | undefined {
  try {
    return statOf(String(pid))[parent]
  } catch {
    return undefined
  }
}

/** The name is in brackets and may contain anything, so fields are counted after the last bracket. */
function statOf(pid: string): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
