// The operations of MACS by which administrators let workloads of other platforms act as agents.
import { operation } from '@svc/contract/protocol'
import { example_workload, example_workload_id, workload_added } from './scenes.ts'
import {
  AddWorkloadInput,
  AddWorkloadOutput,
  addWorkload,
  ListWorkloadsInput,
  ListWorkloadsOutput,
  listWorkloads,
  RemoveWorkloadInput,
  RemoveWorkloadOutput,
  removeWorkload,
} from './workloads.ts'

export const workload_operations = {
  add_workload: operation({
    summary: 'Let tokens of another platform act as you or a descendant, without a stored secret.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    essential: true,
    hands_on: true,
    needs: ['authority', 'workloads'],
    input: AddWorkloadInput,
    output: AddWorkloadOutput,
    example: example_workload,
    handle: addWorkload,
  }),

  list_workloads: operation({
    summary: 'List which tokens of other platforms act as which agents of your organization.',
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['authority', 'workloads'],
    input: ListWorkloadsInput,
    output: ListWorkloadsOutput,
    example: { limit: 10 },
    handle: listWorkloads,
  }),

  remove_workload: operation({
    summary: 'Stop a workload from acting as an agent, and end its sessions and what they began.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['authority', 'workloads'],
    input: RemoveWorkloadInput,
    output: RemoveWorkloadOutput,
    example: { workload_id: example_workload_id, reason: 'the pipeline is gone' },
    scene: workload_added,
    handle: removeWorkload,
  }),
}
