// Package plan has plans: instructions that fetch a value in a frame of a call path, and what executes them.
package plan

//go:generate go run ./header . ../../collector/ops.h

// An Op is what one instruction of a plan does. Words are 64 bits; a number with a fraction is a double.
type Op uint8

const (
	Fail     Op = iota // end: the value cannot be had, for the reason Arg
	Const              // push Arg
	Address            // push Arg, an address of the object, where it is mapped
	Register           // push a register by its DWARF number Arg
	High               // push the second 8 bytes of a vector register, the last 2 of one of the x87
	CFA                // push the canonical frame address
	Entry              // push what register Arg held when the function was entered
	Thread             // push the address of the thread's copy of the thread-local variable at offset Arg
	Load               // pop an address, push the Size bytes there; unreadable with Arg 1: -1
	Extend             // keep the low Size bytes, the sign in all others
	Truncate           // keep the low Size bytes, zero in all others
	Dup                // push the top again
	Drop
	Swap
	Pick   // push the word that is Arg below the top
	Rotate // the top goes below the two others
	Add
	Sub
	Mul
	DivS // by zero: end
	DivU
	ModS
	ModU
	Neg
	Not
	And
	Or
	Xor
	Shl // by 64 or more: 0
	ShrS
	ShrU
	Eq // push 1 or 0
	Ne
	LtS
	LtU
	LeS
	LeU
	FAdd
	FSub
	FMul
	FDiv
	FNeg
	FEq
	FNe
	FLt
	FLe
	FromS    // whole number to double
	FromU    // unsigned number to double
	ToS      // double to whole number, towards zero
	FromF32  // the bits of a float to a double
	ToF32    // a double to the bits of a float
	Round32  // a double as precise as a float
	Jump     // go on Arg instructions behind the next one
	JumpZero // pop; if 0, jump
	Out      // pop, append the low Size bytes to the value
	OutMem   // pop an address, append the Arg bytes there to the value
	OutGone  // append Arg bytes that the program does not keep; of Size 1 a pointer to what it keeps
	OutText  // pop an address, append the text there, up to Arg bytes; of Size 2 or 4 a wide one
	OutBlock // pop a length and an address, append up to Arg bytes; push 1, unreadable: 0
	End      // end: the value is whole
)

// DWARF numbers of registers that the C library does not know: the first of the eight of the x87, eflags and mxcsr.
const (
	FloatStack    = 33
	Flags         = 49
	VectorControl = 64
)

// An Instr is one instruction of a plan.
type Instr struct {
	Op   Op
	Size uint8
	Arg  int64
}

// An Outcome is why there is a value, or why not.
type Outcome uint8

const (
	Got          Outcome = iota
	OptimizedOut         // the program does not keep it
	NoMemory             // an address that it leads to is not mapped
	DivisionByZero
	NoRegister  // the frame does not tell the register
	NoEntry     // the caller does not tell what it passed
	TooLong     // more steps than a plan may take
	NoThread    // the thread has no copy of the variable
	OutOfBounds // there is no element of this index
)

// String says why there is no value, in the words of gdb where it has some.
func (o Outcome) String() string {
	switch o {
	case OptimizedOut, NoEntry:
		return "value has been optimized out"
	case NoMemory:
		return "Cannot access memory"
	case DivisionByZero:
		return "Division by zero"
	case NoRegister:
		return "value is not available"
	case TooLong:
		return "the expression takes too many steps"
	case NoThread:
		return "the thread has no copy of the variable"
	case OutOfBounds:
		return "the index is outside of the bounds"
	}
	return ""
}
