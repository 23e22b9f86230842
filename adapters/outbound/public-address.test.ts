import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

test('only addresses of the public network are public', () => {
  const outside = [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '172.15.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00::1',
  ]
  for (const address of outside) assert.equal(isPublicAddress(address), true, address)
  // biome-ignore format: a table of addresses
  const inside = [
    '0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1', '172.31.255.255',
    '192.0.0.192', '192.168.1.1', '198.19.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
    '::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::a9fe:a9fe', 'fc00::1', 'fd00:ec2::254',
    'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '100::1',
    '', 'localhost', '127.1', '0x7f000001', '2130706433', '1.1.1.1 ', 'a.example',
  ]
  for (const address of inside) assert.equal(isPublicAddress(address), false, address)
})

test('no private range has a public member, and loopback is never public', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const ranges: [string, fc.Arbitrary<number>[]][] = [
    ['10', [byte, byte, byte]],
    ['127', [byte, byte, byte]],
    ['169.254', [byte, byte]],
    ['192.168', [byte, byte]],
    ['172', [fc.integer({ min: 16, max: 31 }), byte, byte]],
  ]
  for (const [prefix, parts] of ranges) {
    fc.assert(
      fc.property(fc.tuple(...parts), (rest) => {
        const address = [prefix, ...rest].join('.')
        assert.equal(isPublicAddress(address), false)
        assert.equal(isPublicAddress(`::ffff:${address}`), false)
        assert.equal(isLoopbackAddress(address), prefix === '127')
      }),
    )
  }
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (address) => {
      assert.ok(!(isPublicAddress(address) && isLoopbackAddress(address)))
    }),
  )
})
