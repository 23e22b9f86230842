import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlFault } from './endpoint-url.ts'

const faultOf = (url: string, kind = 'external') => urlFault({ kind, url })

test('https on public addresses, http on loopback only', () => {
  const fine = [
    'https://a.example',
    'https://a.example:8443/x?y=1',
    'https://1.1.1.1',
    'https://[2606:4700::1111]/',
    'http://127.0.0.1:9000',
    'http://127.9.9.9',
    'http://[::1]:9000',
    'https://127.0.0.1',
  ]
  for (const url of fine) assert.equal(faultOf(url), undefined, url)
  const plain = [
    'http://a.example',
    'http://localhost',
    'http://10.0.0.1',
    'ws://127.0.0.1',
    'http://127.0.0.1.x.example',
  ]
  for (const url of plain) assert.match(faultOf(url)!, /must be https/, url)
})

test('an internal address is refused in every notation', () => {
  const inside = [
    'https://10.1.2.3',
    'https://172.31.255.255',
    'https://192.168.0.1',
    'https://169.254.169.254',
    'https://0xa9fea9fe',
    'https://2852039166',
    'https://0251.0376.0251.0376',
    'https://100.64.0.1',
    'https://0',
    'https://[::]',
    'https://[::ffff:10.0.0.1]',
    'https://[fe80::1]',
    'https://[fd00:ec2::254]',
  ]
  for (const url of inside) assert.match(faultOf(url)!, /never connects/, url)
  assert.equal(faultOf('https://10.1.2.3', 'a2a'), undefined, 'what is not probed may be of an inner network')
})

test('credentials and other extra parts of a URL are refused', () => {
  assert.match(faultOf('https://a@b.example')!, /user name/)
  assert.match(faultOf('https://:p@b.example')!, /password/)
  assert.match(faultOf('https://b.example/#x')!, /fragment/)
  for (const url of ['', 'x', '//a.example', 'https://', 'https://[::1'])
    assert.equal(faultOf(url), 'is no url', url)
})
