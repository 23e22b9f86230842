// The operations of MERIT by which an organization lists what every action is read against.
import { operation } from '@svc/contract/protocol'
import {
  ListConcernsInput,
  ListConcernsOutput,
  listConcerns,
  RemoveConcernInput,
  RemoveConcernOutput,
  removeConcern,
  SetConcernInput,
  SetConcernOutput,
  setConcern,
} from './concerns.ts'
import { concern_set, example_concern } from './scenes.ts'

export const concern_operations = {
  set_concern: operation({
    summary: 'List a duty or harm of your organization: actions that touch it are left to people.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    input: SetConcernInput,
    output: SetConcernOutput,
    example: example_concern,
    handle: setConcern,
  }),

  list_concerns: operation({
    summary: 'List the duties and harms that actions of your organization are read against.',
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    input: ListConcernsInput,
    output: ListConcernsOutput,
    scene: concern_set,
    example: {},
    handle: listConcerns,
  }),

  remove_concern: operation({
    summary: 'Remove a duty or harm; actions are no longer read against it.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    input: RemoveConcernInput,
    output: RemoveConcernOutput,
    scene: concern_set,
    example: { name: example_concern.name, reason: 'the campaign is over' },
    handle: removeConcern,
  }),
}
