// Packages, places and trucks: the standard domain for planners, and for our tests.
import type { DomainSource } from '@svc/protocols/execution/planning/domain'

const minutes = (opt: number, likely: number, pess: number) => ({
  opt: opt * 60_000,
  likely: likely * 60_000,
  pess: pess * 60_000,
})

const trucks_of_skill = { skill: 'haulage' }

export const transport: DomainSource = {
  operators: [
    {
      name: 'drive',
      preconditions: ['args.truck in state.trucks', 'state.at[args.truck] == args.from'],
      effects: [
        { set: 'at.{truck}', to: { $cel: 'args.to' } },
        { increment: 'driven', by: 1 },
      ],
      duration: minutes(20, 30, 70),
      cost: 12.5,
      ...trucks_of_skill,
    },
    {
      name: 'load',
      preconditions: [
        'args.truck in state.trucks',
        'state.at[args.package] == args.place',
        'state.at[args.truck] == args.place',
      ],
      effects: [{ set: 'at.{package}', to: { $cel: 'args.truck' } }],
      duration: minutes(5, 5, 5),
      ...trucks_of_skill,
    },
    {
      name: 'unload',
      preconditions: [
        'args.truck in state.trucks',
        'state.at[args.package] == args.truck',
        'state.at[args.truck] == args.place',
      ],
      effects: [{ set: 'at.{package}', to: { $cel: 'args.place' } }],
      duration: minutes(5, 10, 15),
      ...trucks_of_skill,
    },
  ],
  methods: [
    {
      task: 'deliver',
      name: 'is there already',
      preconditions: 'state.at[args.package] == args.to',
      subtasks: [],
    },
    {
      task: 'deliver',
      name: 'by one truck',
      // The nearest first, as a dispatcher would choose.
      choose: [{ name: 'truck', from: 'state.near[args.package]' }],
      preconditions: ['args.truck in state.trucks', 'state.at[args.package] in state.places'],
      subtasks: [
        { task: 'bring', args: { truck: { $cel: 'args.truck' }, to: { $cel: 'state.at[args.package]' } } },
        {
          task: 'load',
          args: {
            package: { $cel: 'args.package' },
            truck: { $cel: 'args.truck' },
            place: { $cel: 'state.at[args.package]' },
          },
        },
        { task: 'bring', args: { truck: { $cel: 'args.truck' }, to: { $cel: 'args.to' } } },
        {
          task: 'unload',
          args: {
            package: { $cel: 'args.package' },
            truck: { $cel: 'args.truck' },
            place: { $cel: 'args.to' },
          },
        },
      ],
    },
    {
      task: 'bring',
      name: 'stays',
      preconditions: 'state.at[args.truck] == args.to',
      subtasks: [],
    },
    {
      task: 'bring',
      name: 'drives',
      preconditions: 'state.at[args.truck] != args.to',
      subtasks: [
        {
          task: 'drive',
          args: {
            truck: { $cel: 'args.truck' },
            from: { $cel: 'state.at[args.truck]' },
            to: { $cel: 'args.to' },
          },
        },
      ],
    },
    {
      task: 'deliver_all',
      subtasks: ['first', 'second', 'third'].map((which) => ({
        id: which,
        task: 'deliver',
        args: { package: { $cel: `args.${which}` }, to: { $cel: 'args.to' } },
      })),
      order: [],
    },
  ],
}
