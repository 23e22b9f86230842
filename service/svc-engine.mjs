#!/usr/bin/env -S node --max-semi-space-size=32
import { startSource } from '../start-source.mjs'

await startSource('svc-engine', 'service/main.ts', ['--max-semi-space-size=32'])
