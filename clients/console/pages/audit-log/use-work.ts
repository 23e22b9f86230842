// Long-running work with progress and a stop button: one at a time, stopped when its part unmounts.
import { useEffect, useRef, useState } from 'react'
import type { Problem } from '../../shell/use-query.ts'
import type { Watching } from './check-audit-log.ts'

export interface Work<Result> {
  readonly state: 'idle' | 'running' | 'stopped' | 'failed' | 'done'
  readonly done: number
  readonly total: number
  readonly result: Result | undefined
  readonly problem: Problem | undefined
  start(work: (watching: Watching) => Promise<Result>): void
  stop(): void
}

type Shown<Result> = Omit<Work<Result>, 'start' | 'stop'>

const idle = { state: 'idle', done: 0, total: 0, result: undefined, problem: undefined } as const

export function useWork<Result>(): Work<Result> {
  const [shown, setShown] = useState<Shown<Result>>(idle)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = (work: (watching: Watching) => Promise<Result>) => {
    running.current?.abort()
    const mine = new AbortController()
    running.current = mine
    const { signal } = mine
    setShown({ ...idle, state: 'running' })
    const onProgress = (done: number, total: number) => {
      if (!signal.aborted) setShown((before) => ({ ...before, done, total }))
    }
    work({ signal, onProgress }).then(
      (result) => {
        if (!signal.aborted) setShown((before) => ({ ...before, state: 'done', result }))
      },
      (problem) => {
        if (!signal.aborted) setShown((before) => ({ ...before, state: 'failed', problem }))
      },
    )
  }
  const stop = () => {
    running.current?.abort()
    setShown((before) => ({ ...before, state: 'stopped' }))
  }
  return { ...shown, start, stop }
}
