// Lighthouse, installed only when its test runs, in a browser of its own in which somebody signs in first.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freePorts } from '../engines/running-engine.ts'
import { openBrowserOn } from '../neighbours/browser.ts'

const version = '13.5.0'
const folder = join(import.meta.dirname, `../../node_modules/.cache/svc-lighthouse-${version}`)
const module_file = join(folder, 'node_modules/lighthouse/core/index.js')
const quietly = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
const install_ms_max = 300_000

/** A computer with a cable, and a slow phone in a mobile network: both as Lighthouse simulates them. */
export const forms = ['desktop', 'phone'] as const
export type Form = (typeof forms)[number]

export interface Measured {
  /** 0 to 100. */
  readonly performance: number
  readonly accessibility: number
  readonly best_practices: number
  readonly first_paint_ms: number
  readonly largest_paint_ms: number
  readonly blocking_ms: number
  readonly layout_shift: number
  readonly bytes: number
  /** How fast this machine was just then; Lighthouse expects about 1,500 to 2,000 of a computer that nothing else uses. */
  readonly machine: number
  /** Audits of accessibility that failed, as text. */
  readonly faults: readonly string[]
}

export interface Lighthouse {
  readonly page: Page
  measure(url: string, form: Form): Promise<Measured>
  close(): Promise<void>
}

export async function openLighthouse(): Promise<Lighthouse> {
  install()
  const { default: lighthouse, desktopConfig } = await import(module_file)
  const port = await freePorts()
  const { page, close } = await openBrowserOn(port)
  return {
    page,
    close,
    async measure(url, form) {
      const flags = { port, output: 'json', logLevel: 'error', onlyCategories: [...categories] }
      const { lhr } = await lighthouse(url, flags, form === 'desktop' ? desktopConfig : undefined)
      if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`)
      return measuredIn(lhr)
    },
  }
}

const categories = ['performance', 'accessibility', 'best-practices'] as const

interface Result {
  readonly categories: Record<(typeof categories)[number], { score: number; auditRefs: { id: string }[] }>
  readonly environment: { readonly benchmarkIndex: number }
  readonly audits: Record<string, { score: number | null; title: string; numericValue: number }>
}

function measuredIn({ categories: judged, audits, environment }: Result): Measured {
  const figure = (id: string) => audits[id]!.numericValue
  const failed = judged.accessibility.auditRefs.filter(({ id }) => audits[id]!.score === 0)
  return {
    performance: Math.round(judged.performance.score * 100),
    accessibility: Math.round(judged.accessibility.score * 100),
    best_practices: Math.round(judged['best-practices'].score * 100),
    first_paint_ms: figure('first-contentful-paint'),
    largest_paint_ms: figure('largest-contentful-paint'),
    blocking_ms: figure('total-blocking-time'),
    layout_shift: figure('cumulative-layout-shift'),
    bytes: figure('total-byte-weight'),
    machine: environment.benchmarkIndex,
    faults: failed.map(({ id }) => `${id}: ${audits[id]!.title}`),
  }
}

function install(): void {
  if (existsSync(module_file)) return
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, ...quietly, `lighthouse@${version}`]
  execFileSync('npm', args, { timeout: install_ms_max, stdio: ['ignore', 'ignore', 'pipe'] })
}
