// Packs the Python SDK as pip builds it. Nothing of others is in it: its bill lists what pip installs with it, as ranges.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { documentOf } from './bill-of-materials.ts'
import { readManifest, run } from './package-folder.ts'
import { newestCommit } from './provenance.ts'

const has_python = 'import sys, pip; sys.exit(sys.version_info < (3, 10))'
const read_metadata = `
import email, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    fields = email.message_from_bytes(wheel.read(name))
print(json.dumps({"license": fields["License-Expression"], "needs": fields.get_all("Requires-Dist")}))
`

export const hasPython = () => spawnSync('python3', ['-c', has_python]).status === 0

/** Path of the packed file. Asks the registry for the build tool. */
export function packWheel(dist: string): string {
  const { version } = readManifest('.')
  const commit = newestCommit()
  const env = commit ? { SOURCE_DATE_EPOCH: String(Date.parse(commit.at) / 1000) } : undefined
  const options = ['--quiet', '--no-deps', '--wheel-dir', dist, 'clients/sdk-python']
  run('python3', ['-m', 'pip', 'wheel', ...options], env)
  const file = join(dist, `svc_sdk-${version}-py3-none-any.whl`)
  if (!existsSync(file)) throw new Error(`The wheel does not have version ${version}; change _version.py.`)
  return file
}

/** Read from the wheel itself. Those of extras are optional. */
export function billOfWheel(file: string) {
  const { license, needs } = JSON.parse(run('python3', ['-c', read_metadata, file])) as {
    readonly license: string
    readonly needs: readonly string[]
  }
  const { version } = readManifest('.')
  const components = needs.map((requirement) => {
    const name = /^[\w.-]+/.exec(requirement)![0]
    const purl = `pkg:pypi/${name}`
    const scope = requirement.includes('extra ==') ? 'optional' : 'required'
    const properties = [{ name: 'svc:requirement', value: requirement }]
    return { type: 'library', 'bom-ref': purl, name, purl, scope, properties }
  })
  return documentOf(
    { name: 'svc-sdk', version, license, purl: `pkg:pypi/svc-sdk@${version}`, file },
    components,
    [],
  )
}
