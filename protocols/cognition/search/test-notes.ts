// Notes of an invented company, for each a question that it answers, and one that no note answers. Written for
// tests of relevance: the first half is what its scale was read from, the second what it is judged on.

type Note = readonly [note: string, answered: string, unanswered: string]

export const notes: readonly Note[] = [
  [
    'Acme delivers the pumps two days late.',
    'Which supplier is late with the pumps?',
    'What is the phone number of Acme?',
  ],
  ['The invoice of Bolt was paid on 3 May.', 'When did we pay Bolt?', 'Who founded Bolt?'],
  ['Marta approves travel above 500 euros.', 'Who signs off expensive trips?', 'How old is Marta?'],
  [
    'The office in Turin closes at six.',
    'When does the Turin office close?',
    'How many people work in Turin?',
  ],
  [
    'Our bank account in Zurich was closed in March.',
    'What happened to the account in Zurich?',
    'Which interest does the bank in Zurich pay?',
  ],
  ['Line 2 stopped because a bearing broke.', 'Why did line 2 stop?', 'Who built line 2?'],
  [
    'The new forklift can lift four tonnes.',
    'How much weight can the forklift carry?',
    'What colour is the forklift?',
  ],
  ['Ines leads the research team since January.', 'Who is in charge of research?', 'Where did Ines study?'],
  [
    'Customers complain about the slow web shop.',
    'What are customers unhappy with?',
    'Which customers live in Norway?',
  ],
  [
    'The warehouse roof leaks when it rains.',
    'What is wrong with the roof of the warehouse?',
    'When was the warehouse bought?',
  ],
  [
    'We sell spare parts to Chile and Peru.',
    'To which countries do we export parts?',
    'Do we sell to Japan?',
  ],
  ['The fire drill is every first Monday.', 'When do we practise for a fire?', 'Where is the fire brigade?'],
  [
    'Password resets go through the portal.',
    'Where can I get a new password?',
    'Which password has the director?',
  ],
  [
    'Globex raised the price of copper by ten percent.',
    'How did the price of copper change?',
    'What does aluminium cost?',
  ],
  [
    'The lawyer advised against the merger.',
    'What did the lawyer say about the merger?',
    'What is the name of the lawyer?',
  ],
  ['Paul is allergic to nuts.', 'What must Paul not eat?', 'What is the birthday of Paul?'],
  ['The truck to Lyon broke down near Dijon.', 'Where did the truck have trouble?', 'Who drove the truck?'],
  [
    'Solar panels cover half of the power we use.',
    'How much of our electricity is from the sun?',
    'Which firm made the solar panels?',
  ],
  [
    'The canteen serves fish on Fridays.',
    'On which day is there fish?',
    'What does lunch cost in the canteen?',
  ],
  [
    'Tests of the valve failed at high pressure.',
    'How did the valve do in the tests?',
    'What does the valve weigh?',
  ],
  [
    'Nadia moved from sales to purchasing.',
    'In which department is Nadia now?',
    'What is the salary of Nadia?',
  ],
  [
    'The contract with Hooli ends in June.',
    'Until when does the Hooli contract run?',
    'Who signed for Hooli?',
  ],
  ['Visitors must wear a badge.', 'What do guests have to wear?', 'How many visitors came in April?'],
  [
    'The printer on floor three needs toner.',
    'Which printer is out of toner?',
    'What brand is the printer on floor three?',
  ],
  ['Backups run every night at two.', 'At what hour are backups made?', 'Where is the cat of the neighbour?'],
  ['The auditor found two missing receipts.', 'What did the auditor find?', 'Which wine goes with salmon?'],
  [
    'Steel from Ostrava has too much sulphur.',
    'What is the problem with the steel?',
    'Who won the world cup in 1998?',
  ],
  [
    'The intern repaired the coffee machine.',
    'Who fixed the machine for coffee?',
    'How deep is the Pacific?',
  ],
  ['Initech cancelled the order of last week.', 'Which order was cancelled?', 'Who painted the Mona Lisa?'],
  [
    'The parking garage has ninety places.',
    'How many cars fit into the garage?',
    'What is the capital of Mongolia?',
  ],
  ['Eva speaks Portuguese and Greek.', 'Which languages does Eva know?', 'How do volcanoes erupt?'],
  ['The lift is inspected in October.', 'When is the elevator checked?', 'Which planet has the most moons?'],
  [
    'Tariffs on glass rise next year.',
    'What happens to the duties on glass?',
    'What is the recipe for pancakes?',
  ],
  ['Omar found the leak in the cooling pipe.', 'Who discovered the leak?', 'When did the Roman empire fall?'],
  [
    'The trade fair in Hanover was a success.',
    'How was the fair in Hanover?',
    'Who is the manager of the bakery?',
  ],
  ['Machine seven uses too much oil.', 'Which machine wastes oil?', 'How fast is a cheetah?'],
  ['We rent the hall until September.', 'How long do we have the hall?', 'Which guitar did Hendrix play?'],
  [
    'The cleaning firm comes on Tuesdays.',
    'On what day do the cleaners come?',
    'What is the square root of two?',
  ],
  ['Lena designed the new logo.', 'Who made the logo?', 'What does Lena earn?'],
  [
    'Umbrella owes us nine thousand euros.',
    'How much money does Umbrella owe?',
    'Where is the head office of Umbrella?',
  ],
  [
    'The server room is kept at eighteen degrees.',
    'How warm is the server room?',
    'Who has the key of the server room?',
  ],
  [
    'The works council agreed to night shifts.',
    'Did the council accept work at night?',
    'Who chairs the works council?',
  ],
  [
    'The old catalogue contains wrong prices.',
    'What is wrong in the catalogue?',
    'How many pages has the catalogue?',
  ],
  ['Rosa retires at the end of the year.', 'When does Rosa leave?', 'Who is the husband of Rosa?'],
  ['The drone inspects the chimneys.', 'What are the chimneys checked with?', 'What did the drone cost?'],
  ['Packaging from Vanta tears easily.', 'What do we know about the packaging?', 'When was Vanta founded?'],
  [
    'The insurance pays for hail damage.',
    'Does the insurance cover hail?',
    'How much does the insurance cost?',
  ],
  ['Kofi trains the new welders.', 'Who teaches the welders?', 'What is the address of Kofi?'],
]
