// Everything the service can do: one line per protocol. `npm run new protocol` adds the import and the line.
import type { Protocol } from '@svc/contract/protocol'
import { mari } from '@svc/protocols/awareness/mari/mari'
import { mars } from '@svc/protocols/awareness/mars/mars'
import { max } from '@svc/protocols/awareness/max/max'
import { maze } from '@svc/protocols/awareness/maze/maze'
import { mim } from '@svc/protocols/awareness/mim/mim'
import { moment } from '@svc/protocols/awareness/moment/moment'
import { motet } from '@svc/protocols/awareness/motet/motet'
import { motif } from '@svc/protocols/awareness/motif/motif'
import { mame } from '@svc/protocols/cognition/mame/mame'
import { mantle } from '@svc/protocols/cognition/mantle/mantle'
import { marc } from '@svc/protocols/cognition/marc/marc'
import { mind } from '@svc/protocols/cognition/mind/mind'
import { made } from '@svc/protocols/economic/made/made'
import { mana } from '@svc/protocols/economic/mana/mana'
import { market } from '@svc/protocols/economic/market/market'
import { meal } from '@svc/protocols/economic/meal/meal'
import { maestro } from '@svc/protocols/execution/maestro/maestro'
import { mage } from '@svc/protocols/execution/mage/mage'
import { maker } from '@svc/protocols/execution/maker/maker'
import { mat } from '@svc/protocols/execution/mat/mat'
import { moon } from '@svc/protocols/execution/moon/moon'
import { mote } from '@svc/protocols/execution/mote/mote'
import { mace } from '@svc/protocols/governance/mace/mace'
import { mausoleum } from '@svc/protocols/governance/mausoleum/mausoleum'
import { maxim } from '@svc/protocols/governance/maxim/maxim'
import { mimesis } from '@svc/protocols/governance/mimesis/mimesis'
import { moat } from '@svc/protocols/governance/moat/moat'
import { moot } from '@svc/protocols/governance/moot/moot'
import { aegis } from '@svc/protocols/identity/aegis/aegis'
import { arsenal } from '@svc/protocols/identity/arsenal/arsenal'
import { macs } from '@svc/protocols/identity/macs/macs'
import { oas } from '@svc/protocols/identity/oas/oas'
import { magi } from '@svc/protocols/truth/magi/magi'
import { mantic } from '@svc/protocols/truth/mantic/mantic'
import { mare } from '@svc/protocols/truth/mare/mare'
import { mata } from '@svc/protocols/truth/mata/mata'
import { maven } from '@svc/protocols/truth/maven/maven'
import { merit } from '@svc/protocols/truth/merit/merit'

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
