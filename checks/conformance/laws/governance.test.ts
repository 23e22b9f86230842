import { holdLaws } from './hold-laws.ts'

holdLaws('governance')
