// Every parser that strangers reach, by name.
import type { Target } from './target.ts'
import { audit_targets } from './targets/audit.ts'
import { format_targets } from './targets/formats.ts'
import { gateway_targets } from './targets/gateway.ts'
import { identity_targets } from './targets/identity.ts'
import { language_targets } from './targets/languages.ts'
import { shape_targets } from './targets/shapes.ts'
import { stream_targets } from './targets/streams.ts'

export const targets: Readonly<Record<string, Target>> = {
  ...gateway_targets,
  ...identity_targets,
  ...audit_targets,
  ...language_targets,
  ...shape_targets,
  ...stream_targets,
  ...format_targets,
}
