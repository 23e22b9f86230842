#!/usr/bin/env node
import { startSource } from '../../start-source.mjs'

await startSource('svc', 'clients/cli/main.ts')
