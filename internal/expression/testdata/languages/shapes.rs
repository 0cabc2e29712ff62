// Values of Rust's types, for expressions. It runs until it is killed.
#![allow(unknown_lints, dead_code, static_mut_refs)]

// black_box is what compilers know nothing of; that of the library came later than Debian's.
#[inline(never)]
fn black_box<T>(x: T) -> T {
    let same = unsafe { std::ptr::read_volatile(&x) };
    std::mem::forget(x);
    same
}

#[derive(Clone, Copy)]
pub struct Point {
    x: i32,
    y: f64,
}

#[derive(Clone, Copy)]
pub struct Pair(i16, u8);

#[derive(Clone, Copy)]
pub struct Unit;

#[derive(Clone, Copy)]
pub enum Color {
    Red,
    Green = 5,
}

#[derive(Clone, Copy)]
pub enum Figure {
    Circle(i32),
    Square { side: u8 },
    Nothing,
}

pub union Bits {
    whole: u32,
    half: u16,
}

pub static mut COUNTER: i32 = 3;
pub static GRID: [[u16; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
static WORDS: [&str; 2] = ["one", "two"];

pub mod inner {
    pub static LIMIT: u64 = 1 << 63;
    pub static mut DEPTH: i8 = -4;

    pub struct Shape {
        pub corner: super::Point,
        pub sizes: [i32; 3],
        pub label: String,
        pub filled: bool,
        pub color: super::Color,
        pub marks: Vec<i64>,
        pub pair: super::Pair,
        pub figure: super::Figure,
    }

    impl Shape {
        #[inline(never)]
        pub fn leaf(&mut self, n: i32, text: &str, list: &[i64], p: super::Point) -> i32 {
            let local = [n, n + 1, n + 2];
            let bytes = [b'a', b'b', 0, 200];
            let tuple = (n, 2.5f32, 'x');
            let yes = n > 3;
            let letter = 'q';
            let letters = ['\n', '\'', 'é', '€', '\0', '"'];
            let many = [n; 300];
            let mut long = [0i32; 250];
            for i in 0..250 {
                long[i] = i as i32 * n;
            }
            let ten = [1u8; 10];
            let floats = (1.0f64, f64::INFINITY, -0.0f32, f32::NAN);
            let unit = ();
            let nothing = super::Unit;
            let boxed = Box::new(super::Pair(7, 8));
            let maybe: Option<i32> = Some(n);
            let reference: Option<&i32> = Some(&local[0]);
            let bits = super::Bits { whole: 0x10002 };
            let nested = [super::Pair(1, 2), super::Pair(3, 4)];
            let small: i8 = -(n as i8);
            let wide: u128 = 1 << 100;
            let points = &p;
            let empty: [i32; 0] = [];
            let size: usize = list.len();
            let f: fn(i32) -> i32 = super::twice;
            let raw: *const i32 = &local[1];
            for i in 0..300 {
                self.corner.x += super::black_box(local[i % 3] + small as i32 + tuple.0);
                if yes {
                    unsafe { super::COUNTER = super::COUNTER.wrapping_add(super::black_box(size as i32 + points.x)) };
                }
            }
            super::black_box((&local, &bytes, &tuple, &letter, &unit, &nothing, &boxed, &maybe, &reference));
            super::black_box((&letters, &many, &long, &ten, &floats));
            super::black_box((&bits, &nested, &wide, &points, &empty, &f, &raw));
            unsafe { DEPTH = DEPTH.wrapping_sub(1) };
            self.corner.x = super::black_box(text.len() as i32 + f(n));
            self.corner.x
        }
    }
}

#[inline(never)]
fn twice(n: i32) -> i32 {
    2 * black_box(n)
}

fn main() {
    let mut shape = inner::Shape {
        corner: Point { x: 1, y: 2.5 },
        sizes: [4, 5, 6],
        label: String::from("label"),
        filled: true,
        color: Color::Green,
        marks: vec![7, 8, 9],
        pair: Pair(-1, 2),
        figure: Figure::Square { side: 3 },
    };
    let values = vec![10, 20, 30, 40];
    loop {
        black_box(shape.leaf(5, "text", &values[1..], Point { x: -1, y: 1e100 }));
        black_box((&GRID, &WORDS, &inner::LIMIT));
    }
}
