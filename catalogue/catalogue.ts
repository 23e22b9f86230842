// Everything the service can do: one line per protocol. `npm run new protocol` adds the import and the line.
import type { Protocol } from '@svc/contract/protocol'
import { mari } from '@svc/protocols/awareness/mari'
import { mars } from '@svc/protocols/awareness/mars'
import { max } from '@svc/protocols/awareness/max'
import { maze } from '@svc/protocols/awareness/maze'
import { mim } from '@svc/protocols/awareness/mim'
import { moment } from '@svc/protocols/awareness/moment'
import { motet } from '@svc/protocols/awareness/motet'
import { motif } from '@svc/protocols/awareness/motif'
import { mame } from '@svc/protocols/cognition/mame'
import { mantle } from '@svc/protocols/cognition/mantle'
import { marc } from '@svc/protocols/cognition/marc'
import { mind } from '@svc/protocols/cognition/mind'
import { made } from '@svc/protocols/economic/made'
import { mana } from '@svc/protocols/economic/mana'
import { market } from '@svc/protocols/economic/market'
import { meal } from '@svc/protocols/economic/meal'
import { maestro } from '@svc/protocols/execution/maestro'
import { mage } from '@svc/protocols/execution/mage'
import { maker } from '@svc/protocols/execution/maker'
import { mat } from '@svc/protocols/execution/mat'
import { moon } from '@svc/protocols/execution/moon'
import { mote } from '@svc/protocols/execution/mote'
import { mace } from '@svc/protocols/governance/mace'
import { mausoleum } from '@svc/protocols/governance/mausoleum'
import { maxim } from '@svc/protocols/governance/maxim'
import { mimesis } from '@svc/protocols/governance/mimesis'
import { moat } from '@svc/protocols/governance/moat'
import { moot } from '@svc/protocols/governance/moot'
import { aegis } from '@svc/protocols/identity/aegis'
import { arsenal } from '@svc/protocols/identity/arsenal'
import { macs } from '@svc/protocols/identity/macs'
import { oas } from '@svc/protocols/identity/oas'
import { magi } from '@svc/protocols/truth/magi'
import { mantic } from '@svc/protocols/truth/mantic'
import { mare } from '@svc/protocols/truth/mare'
import { mata } from '@svc/protocols/truth/mata'
import { maven } from '@svc/protocols/truth/maven'
import { merit } from '@svc/protocols/truth/merit'

// biome-ignore format: one protocol to a line, so that two branches that each add one do not collide
export const catalogue: readonly Protocol[] = [
  aegis,
  mace,
  maestro,
  macs,
  made,
  mage,
  maker,
  mame,
  mantle,
  mari,
  mars,
  mausoleum,
  max,
  maxim,
  maze,
  moment,
  motet,
  motif,
  oas,
  arsenal,
  mana,
  market,
  meal,
  mim,
  mimesis,
  mind,
  moat,
  moon,
  moot,
  mote,
  marc,
  mat,
  mata,
  maven,
  mare,
  mantic,
  magi,
  merit,
]

/** By id in any letter case. */
export function findProtocol(id: string): Protocol | undefined {
  const wanted = id.toUpperCase()
  return catalogue.find((protocol) => protocol.id.toUpperCase() === wanted)
}
