// Passwords as scrypt hashes. Hashing is slow on purpose, so its concurrency is bounded: it must not stop the engine.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { refuse } from '@svc/contract/refusal'

export interface PasswordCost {
  readonly n: number
  readonly r: number
  readonly p: number
}

export interface HashedPassword {
  readonly hash: Buffer
  readonly salt: Buffer
  readonly cost: PasswordCost
}

/** 64 MiB and about a tenth of a second each; stored with every hash, so that it can be raised without breaking old ones. */
const password_cost: PasswordCost = { n: 2 ** 16, r: 8, p: 1 }
const hash_bytes = 32
const salt_bytes = 16
const password_chars_min = 12
const password_bytes_max = 1024
const hashing_at_once_max = 2
const hashing_waiting_max = 30

export async function hashPassword(password: string, cost = password_cost): Promise<HashedPassword> {
  requireGood(password)
  const salt = randomBytes(salt_bytes)
  return { hash: await derive(password, salt, cost), salt, cost }
}

// An unknown login is compared with this, so that the answer takes as long as for a known one.
const nobody: HashedPassword = {
  hash: randomBytes(hash_bytes),
  salt: randomBytes(salt_bytes),
  cost: password_cost,
}

export async function passwordFits(
  password: string,
  hashed_password: HashedPassword | undefined,
): Promise<boolean> {
  const { hash, salt, cost } = hashed_password ?? nobody
  const too_long = Buffer.byteLength(password) > password_bytes_max
  const derived = await derive(too_long ? '' : password, salt, cost)
  return timingSafeEqual(derived, hash) && hashed_password !== undefined && !too_long
}

function requireGood(password: string): void {
  const enough = password.normalize('NFKC').length >= password_chars_min
  if (enough && Buffer.byteLength(password) <= password_bytes_max) return
  const range = `${password_chars_min} characters to ${password_bytes_max} bytes`
  throw refuse('invalid_payload', `A password has ${range}; choose another.`, {
    reason: 'password length',
  })
}

let running = 0
const waiting: (() => void)[] = []

async function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  await takeTurn()
  try {
    return await runScrypt(password, salt, cost)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

async function takeTurn(): Promise<void> {
  if (running < hashing_at_once_max) {
    running++
    return
  }
  if (waiting.length >= hashing_waiting_max) {
    throw refuse('rate_limited', 'Too many people sign in at this moment; try again in a few seconds.', {
      reason: 'sign-in queue full',
      retry_after_ms: 5_000,
    })
  }
  await new Promise<void>((resolve) => waiting.push(resolve))
}

function runScrypt(password: string, salt: Buffer, { n, r, p }: PasswordCost): Promise<Buffer> {
  // NFKC: the same password typed on another keyboard is the same password.
  const text = password.normalize('NFKC')
  const options = { N: n, r, p, maxmem: 256 * n * r }
  return new Promise((resolve, reject) => {
    scrypt(text, salt, hash_bytes, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
