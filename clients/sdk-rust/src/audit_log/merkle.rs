//! The RFC 9162 tree over a chain's record hashes: inclusion paths, consistency, and rows of leaves.

pub use crate::bytes::Hash;
use crate::bytes::sha256;

const PATH_LENGTH_MAX: usize = 64;
/// A row has one path per edge.
const AROUND_MAX: usize = 128;
/// The largest integer a double counts exactly; no proof has a larger size.
const SIZE_MAX: u64 = (1 << 53) - 1;

/// Exactly 64 lowercase digits: a hash has one spelling.
pub fn hash_from_hex(text: &str) -> Option<Hash> {
    crate::bytes::hash_from_hex(text)
}

/// Lower case.
pub fn hash_to_hex(hash: &Hash) -> String {
    crate::bytes::to_hex(hash)
}

/// A tree of a given size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizedRoot {
    /// The number of records.
    pub size: u64,
    /// The root over all of them.
    pub root: Hash,
}

pub(crate) fn hash_leaf(record_hash: &Hash) -> Hash {
    let mut input = [0; 33];
    input[1..].copy_from_slice(record_hash);
    sha256(&input)
}

pub(crate) fn hash_pair(left: &Hash, right: &Hash) -> Hash {
    let mut input = [1; 65];
    input[1..33].copy_from_slice(left);
    input[33..].copy_from_slice(right);
    sha256(&input)
}

/// The root of an empty tree.
pub fn empty_root() -> Hash {
    sha256(&[])
}

/// The root computed from a record and its path; none if the path does not fit this index and size. The index
/// starts at 0: it is the record's `seq` minus one.
pub fn root_of_path(record_hash: &Hash, index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
    if index >= size || size > SIZE_MAX || path.len() > PATH_LENGTH_MAX {
        return None;
    }
    let mut node = hash_leaf(record_hash);
    let (mut index, mut last) = (index, size - 1);
    for sibling in path {
        rise_alone(&mut index, &mut last);
        if last == 0 {
            return None;
        }
        node = if index % 2 == 1 { hash_pair(sibling, &node) } else { hash_pair(&node, sibling) };
        (index, last) = (index / 2, last / 2);
    }
    (last == 0).then_some(node)
}

/// The last node of a level without a sibling moves up unchanged.
fn rise_alone(index: &mut u64, last: &mut u64) {
    while *last > 0 && index == last && index.is_multiple_of(2) {
        (*index, *last) = (*index / 2, *last / 2);
    }
}

/// Whether the first tree is a prefix of the second. The empty tree is a prefix of every tree.
pub fn is_grown_from(first: &SizedRoot, second: &SizedRoot, path: &[Hash]) -> bool {
    if first.size > second.size || second.size > SIZE_MAX || path.len() > PATH_LENGTH_MAX {
        return false;
    }
    if first.size == 0 {
        return path.is_empty() && first.root == empty_root();
    }
    if first.size == second.size {
        return path.is_empty() && first.root == second.root;
    }
    let (mut index, mut last) = (first.size - 1, second.size - 1);
    while index % 2 == 1 {
        (index, last) = (index / 2, last / 2);
    }
    // If the first tree is one complete subtree, its root is not in the path: it is the first node itself.
    let own_root = (index == 0).then_some(first.root);
    let mut nodes = own_root.iter().chain(path);
    let Some(start) = nodes.next() else {
        return false;
    };
    let (mut old_root, mut new_root) = (*start, *start);
    for node in nodes {
        rise_alone(&mut index, &mut last);
        if last == 0 {
            return false;
        }
        if index % 2 == 1 {
            old_root = hash_pair(node, &old_root);
            new_root = hash_pair(node, &new_root);
        } else {
            new_root = hash_pair(&new_root, node);
        }
        (index, last) = (index / 2, last / 2);
    }
    last == 0 && old_root == first.root && new_root == second.root
}

/// The root computed from consecutive records and the nodes around them, left to right; none if they do not
/// fit.
pub fn root_of_row(record_hashes: &[Hash], index: u64, size: u64, around: &[Hash]) -> Option<Hash> {
    let past = index.checked_add(record_hashes.len() as u64)?;
    if record_hashes.is_empty() || past > size || size > SIZE_MAX || around.len() > AROUND_MAX {
        return None;
    }
    let mut row = Row { record_hashes, index, past, around: around.iter() };
    let root = row.root_within(0, size)?;
    row.around.next().is_none().then_some(root)
}

struct Row<'a> {
    record_hashes: &'a [Hash],
    index: u64,
    past: u64,
    around: std::slice::Iter<'a, Hash>,
}

impl Row<'_> {
    fn root_within(&mut self, from: u64, to: u64) -> Option<Hash> {
        if to <= self.index || from >= self.past {
            return self.around.next().copied();
        }
        if to - from == 1 {
            let place = usize::try_from(from - self.index).ok()?;
            return self.record_hashes.get(place).map(hash_leaf);
        }
        let split = from + largest_power_below(to - from);
        let left = self.root_within(from, split)?;
        let right = self.root_within(split, to)?;
        Some(hash_pair(&left, &right))
    }
}

fn largest_power_below(span: u64) -> u64 {
    1 << (span - 1).ilog2()
}
