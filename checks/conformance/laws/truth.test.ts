import { holdLaws } from './hold-laws.ts'

holdLaws('truth')
