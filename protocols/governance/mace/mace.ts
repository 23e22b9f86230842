import { operation, protocol } from '@svc/contract/protocol'
import { conveneMotion } from './motion-convening.ts'
import { ConveneInput, MotionView } from './motion-input.ts'
import { ListInput, ListOutput, listOwn } from './motion-list.ts'
import { DeliberateInput, DeliberateOutput, takePosition } from './position-taking.ts'
import { archive_motion, archive_vote, council_convened, council_voted, motion_id } from './scenes.ts'
import { closeMotion, TallyInput, TallyOutput } from './verdict-declaring.ts'

export const mace = protocol({
  id: 'MACE',
  version: 'v1.0.0',
  plane: 'governance',
  estate: 'agent',
  rate: 'heavy',
  category: 'svc-governance',
  summary: 'Councils: an organization decides as a whole by motions, votes and verdicts.',

  operations: {
    convene: operation({
      summary: 'Convene a council on a motion.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      essential: true,
      needs: ['authority', 'charter', 'notify', 'tokens'],
      input: ConveneInput,
      output: MotionView,
      example: archive_motion,
      handle: (input, context) => conveneMotion(context, input),
    }),

    deliberate: operation({
      summary: 'Take a seat, argue or vote; the last position before the deadline counts.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      multipliers: [1.5, 1.5, 1.2],
      essential: true,
      needs: ['audit_log', 'authority', 'charter', 'custody', 'notify', 'telemetry', 'tokens'],
      input: DeliberateInput,
      output: DeliberateOutput,
      example: archive_vote,
      scene: council_convened,
      handle: takePosition,
    }),

    tally: operation({
      summary: 'Tally a motion and declare its verdict with the dissent, or view or withdraw the motion.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      essential: true,
      needs: ['charter', 'notify', 'register'],
      input: TallyInput,
      output: TallyOutput,
      example: { motion_id },
      scene: council_voted,
      handle: closeMotion,
    }),

    list: operation({
      summary: 'List the motions of your organization, or read one in full with its votes and dissent.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      input: ListInput,
      output: ListOutput,
      example: { state: 'OPEN', limit: 10 },
      scene: council_voted,
      handle: listOwn,
    }),
  },
})
