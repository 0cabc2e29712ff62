use std::collections::BTreeMap;
mod shapes {
    pub trait Area { fn area(&self) -> u64; }
    pub struct Square(pub u64);
    impl Area for Square {
        #[inline(never)]
        fn area(&self) -> u64 { self.0 * self.0 + 1 }
    }
    #[inline(never)]
    pub fn largest<T: Area>(all: &[T]) -> u64 {
        all.iter().map(|s| s.area()).max().unwrap_or(0)
    }
}
#[inline(always)]
fn step(x: u64) -> u64 { x.wrapping_mul(31) ^ (x >> 7) }
#[inline(never)]
pub fn mix(n: u64) -> u64 { let mut h = n; for i in 0..n { h = step(h ^ i); } h }
fn main() {
    let n = std::env::args().count() as u64 + 100;
    let mut m = BTreeMap::new();
    for i in 0..n { m.insert(mix(i), i); }
    let v: Vec<shapes::Square> = m.keys().map(|k| shapes::Square(k % 1000)).collect();
    println!("{} {}", shapes::largest(&v), m.len());
}
