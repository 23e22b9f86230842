// Certificates of one authority in files, as programs read them; renewed by writing the same files again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate, type TestCertificate } from './test-certificate.ts'

export interface PairFiles {
  readonly cert_file: string
  readonly key_file: string
}

export interface TestTls {
  readonly authority: TestCertificate
  readonly ca_file: string
  /** A certificate of this name for programs on this machine; issued again it replaces the files. */
  issue(name: string, issuer?: TestCertificate): PairFiles & Pick<TestCertificate, 'cert' | 'key'>
  write(name: string, text: string): string
  close(): void
}

export function testTls(): TestTls {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  const authority = makeCertificate({ name: 'Test authority' })
  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  return {
    authority,
    ca_file: write('ca.crt', authority.cert),
    issue(name, issuer = authority) {
      const { cert, key } = makeCertificate({ name, issuer, hosts: ['127.0.0.1', 'localhost'] })
      return { cert, key, cert_file: write(`${name}.crt`, cert), key_file: write(`${name}.key`, key) }
    },
    write,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
