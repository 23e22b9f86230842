// svc verify: a proof or a book, checked on this machine with nothing but the file and what its reader trusts.
import { verifyProof } from '@svc/sdk/verify/proof'
import { readSmallFile } from '../audit/file.ts'
import { isVouched, printProof, proof_bytes_max, proofIn } from '../audit/proof.ts'
import { isProved, printVerdict, readNotes, verifyFile, verifyText } from '../audit/verify.ts'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { formatOf } from '../output/output.ts'

export const verify: Command = {
  summary: 'Check a proof or an exported book, without any network.',
  usage: 'verify <file> [flags]',
  help: `
  <file>                 an answer of MAZE prove, or an export of a book; - for standard input
  --key <key>            a public key you trust for the organization, base64url; may be repeated
  --checkpoint <file>    a signed note that you kept; may be repeated
  -o, --output <format>  human, json or yaml

A proof shows that a record is in the log, that the log only ever grew, or what stands in a row of it. It proves
something only where a key or a checkpoint of yours vouches for it. Exit code 0 only where everything is proved.

Examples
  svc invoke MAZE prove --input '{"kind": "consistency", "first": 0}' > proof.json
  svc verify proof.json --key "$KEY"
  svc verify book.jsonl
`,
  flags: {
    key: { type: 'string', multiple: true },
    checkpoint: { type: 'string', multiple: true },
  },
  async run([file, ...more], flags, terminal) {
    if (file === undefined || more.length > 0)
      throw new UsageError('Name one file: svc verify proof.json, or svc verify - for standard input.')
    const format = formatOf(flags, 'human')
    const checkpoints = await readNotes(textsOf(flags, 'checkpoint'))
    const keys = textsOf(flags, 'key')
    const known = { checkpoints, ...(keys.length > 0 ? { trustedKeys: keys } : {}) }
    const text = await textOf(file, terminal)
    const proof = text === undefined ? undefined : proofIn(text)
    if (proof !== undefined) {
      const verdict = await verifyProof(proof, known)
      await printProof(verdict, format, terminal)
      return isVouched(verdict) ? 0 : 1
    }
    const verdict = await (file === '-' ? verifyText(text!, known) : verifyFile(file, known, terminal))
    await printVerdict(verdict, format, terminal)
    return isProved(verdict) ? 0 : 1
  },
}

/** Undefined for a file that is too large to be a proof: it is read line by line. */
async function textOf(file: string, terminal: Terminal): Promise<string | undefined> {
  return file === '-' ? await terminal.readStdin() : await readSmallFile(file, proof_bytes_max)
}

function textsOf(flags: Flags, name: string): string[] {
  const value = flags[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
