// The operations of MAX for saved views: named queries of a person or an organization, as CSV and by schedule.
import { operation } from '@svc/contract/protocol'
import type { SceneStep } from '@svc/contract/scene'
import {
  ListViewsInput,
  ListViewsOutput,
  listOwnViews,
  RemoveViewInput,
  RemoveViewOutput,
  removeOwnView,
  SetViewInput,
  SetViewOutput,
  setView,
  ViewFileInput,
  ViewFileOutput,
  viewFile,
} from './views.ts'

const example_view = {
  name: 'refused-calls',
  operation: 'MAX.audit_query',
  filters: { outcome: 'refused', limit: 1_000 },
  schedule: { every: 'weekly', at: '07:30', day: 1, time_zone: 'Europe/Berlin' },
} as const
const view_set: readonly SceneStep[] = [{ call: 'MAX.set_view', input: example_view }]

export const view_operations = {
  set_view: operation({
    summary: 'Save a query under a name, for yourself or all, and have it run by itself.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    hands_on: true,
    needs: ['mailing', 'served', 'standIn', 'vault'],
    input: SetViewInput,
    output: SetViewOutput,
    example: example_view,
    handle: setView,
  }),

  list_views: operation({
    summary: 'List your saved views and those of your organization.',
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    input: ListViewsInput,
    output: ListViewsOutput,
    scene: view_set,
    example: {},
    handle: listOwnViews,
  }),

  remove_view: operation({
    summary: 'Remove a saved view and its file.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    input: RemoveViewInput,
    output: RemoveViewOutput,
    scene: view_set,
    example: { name: example_view.name },
    handle: removeOwnView,
  }),

  view_file: operation({
    summary: 'Get the rows of a saved view as CSV, read with your own rights.',
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    deadline_ms: 60_000,
    reveals: true,
    needs: ['authority', 'compute', 'served', 'vault'],
    input: ViewFileInput,
    output: ViewFileOutput,
    scene: view_set,
    example: { name: example_view.name },
    handle: viewFile,
  }),
}
