import { openPageStore } from '@svc/adapters/log-archive/open-page-store'
import type { Clock } from '@svc/engine/ports'
import { readArchiveSettings } from '../settings/archive-settings.ts'
import { ConfigError } from '../settings/config-error.ts'
import { broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Target } from './target.ts'

/** Whether old pages of the audit log can be read. Nothing is written. */
export async function lookAtArchive({ read }: Target, clock: Clock): Promise<Finding[]> {
  const check = 'log archive'
  const settings = readArchiveSettingsOf(read)
  if (!settings) return []
  const pages = openPageStore(settings.place, clock)
  try {
    if (await pages.isArchive()) return [well(check, `${pages.place} answers`)]
  } catch (error) {
    return [
      broken(
        check,
        `${pages.place}: ${reasonOf(error)}`,
        'old records cannot be read until the archive answers',
      ),
    ]
  }
  const advice = 'normal before the first page is archived; otherwise mount the disk, or name the right place'
  return [doubtful(check, `${pages.place} answers and holds no archive`, advice)]
}

/** Undefined also where they are wrong: the check of all settings reports that. */
function readArchiveSettingsOf(read: Target['read']) {
  try {
    return readArchiveSettings(read)
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}
