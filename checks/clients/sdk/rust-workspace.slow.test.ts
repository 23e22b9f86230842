// The Rust side by its own tools: tests, examples and formatting; in the long form its lints and
// documentation, too.
import { test } from 'node:test'
import { is_long } from '../../faults/scene/chance.ts'
import { cargo, rustIsHere } from '../../suite/rust.ts'

const skip = !(await rustIsHere()) && 'no Rust here'

test('cargo fmt', { skip }, async () => {
  await cargo(['fmt', '--all', '--check'])
})

test('cargo test', { skip }, async () => {
  await cargo(['test', '--workspace', '--quiet'])
})

const only_long = skip || (!is_long && 'only in the long form (SVC_TEST_ASSURANCE=1)')

test('cargo clippy', { skip: only_long }, async () => {
  await cargo(['clippy', '--workspace', '--all-targets', '--quiet', '--', '-D', 'warnings'])
})

test('cargo clippy of the offline part alone', { skip: only_long }, async () => {
  const offline = ['--package', 'svc-sdk', '--no-default-features', '--lib', '--test', 'vectors']
  await cargo(['clippy', ...offline, '--quiet', '--', '-D', 'warnings'])
})

test('cargo doc', { skip: only_long }, async () => {
  await cargo(['doc', '--workspace', '--no-deps', '--quiet'], { RUSTDOCFLAGS: '-D warnings' })
})
