import { holdLaws } from './hold-laws.ts'

holdLaws('cognition')
