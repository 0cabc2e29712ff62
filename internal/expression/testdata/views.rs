// What Rust's strings and vectors hold when look is called.
pub struct Request {
    pub command: String,
    pub sizes: Vec<i32>,
}

#[inline(never)]
pub fn look(text: &str, request: &Request) -> usize {
    std::hint::black_box(text.len() + request.sizes.len())
}

#[inline(never)]
fn work() -> usize {
    let owned = String::from("owned text");
    let empty = String::new();
    let part = &owned[0..5];
    let mut numbers = vec![1i32, 2, 3];
    numbers.reserve(10);
    let none: Vec<i64> = Vec::new();
    let words = vec!["one", "two"];
    let strings = vec![String::from("x"), String::from("yy")];
    let request = Request { command: String::from("GET"), sizes: vec![4, 5] };
    let n = look(part, &request);
    std::hint::black_box((&owned, &empty, &numbers, &none, &words, &strings));
    n
}

fn main() {
    loop {
        work();
    }
}
