package plan

import "errors"

// Fits says why the C library cannot execute the code as Run does; nil if it can. most is how many bytes the
// code writes at most.
func Fits(code []Instr) (most int, err error) {
	const vectors, after = 17, 33
	for _, i := range code {
		if i.Op > End {
			return 0, errors.New("numbers of 80 bits are not known there")
		}
		switch i.Op {
		case Register, High:
			if i.Arg < 0 || i.Arg >= after || i.Op == High && i.Arg < vectors {
				return 0, errors.New("a register is not known there")
			}
		case Jump, JumpZero:
			if i.Arg < 0 {
				return 0, errors.New("a loop")
			}
		case Out:
			most += int(i.Size)
		case OutMem, OutGone:
			most += int(i.Arg)
		case OutText, OutBlock:
			most += 2 + int(i.Arg)
		}
	}
	return most, nil
}
