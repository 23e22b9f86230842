//! The roots of a growing tree; stores 32 bytes per record, never the records.

use super::merkle::{Hash, hash_leaf, hash_pair};
use std::collections::{HashMap, HashSet};

/// Takes every record's hash, and returns the root at sizes requested in ascending order.
pub(crate) struct GrowingTree {
    record_hashes: Vec<Hash>,
    counted: u64,
    /// Roots of the complete subtrees counted so far, largest first.
    subtrees: Vec<Hash>,
    kept_sizes: HashSet<u64>,
    kept_roots: HashMap<u64, Hash>,
}

impl GrowingTree {
    /// The roots at `kept_sizes` can be requested afterwards, in any order.
    pub fn new(kept_sizes: HashSet<u64>) -> Self {
        let (record_hashes, subtrees, kept_roots) = (Vec::new(), Vec::new(), HashMap::new());
        Self { record_hashes, counted: 0, subtrees, kept_sizes, kept_roots }
    }

    pub fn add(&mut self, record_hash: Hash) {
        self.record_hashes.push(record_hash);
    }

    /// None for a past size that was not kept, and for a size not reached yet.
    pub fn root_at(&mut self, size: u64) -> Option<Hash> {
        while self.counted < size && self.count_next() {
            if self.kept_sizes.contains(&self.counted) {
                self.root().map(|root| self.kept_roots.insert(self.counted, root));
            }
        }
        if size == self.counted { self.root() } else { self.kept_roots.get(&size).copied() }
    }

    fn count_next(&mut self) -> bool {
        let next = usize::try_from(self.counted).ok().and_then(|place| self.record_hashes.get(place));
        let Some(mut node) = next.map(hash_leaf) else {
            return false;
        };
        let mut rest = self.counted;
        while rest % 2 == 1 {
            // Each trailing one bit of the count is a complete subtree on the right edge.
            if let Some(left) = self.subtrees.pop() {
                node = hash_pair(&left, &node);
            }
            rest /= 2;
        }
        self.subtrees.push(node);
        self.counted += 1;
        true
    }

    fn root(&self) -> Option<Hash> {
        self.subtrees.iter().rev().copied().reduce(|right, left| hash_pair(&left, &right))
    }
}
