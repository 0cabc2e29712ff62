package data

import (
	"encoding/binary"

	"github.com/profilecollection/pct/internal/plan"
)

// argumentsType stands in place of a type for values that are the arguments of frames.
const argumentsType = "\x00"

// MostFrames bounds the numbers of frames with arguments.
const MostFrames = frameNoRoom

// mostTypes bounds the types of arguments, whose numbers have two bytes.
const mostTypes = 1 << 16

// ArgumentsField returns the id of the field ArgumentsField, whose values AppendFrame and AppendArgument make.
func (w *Writer) ArgumentsField() FieldID {
	return w.field(append(appendString(appendString(nil, ArgumentsField), argumentsType), 0))
}

// Called returns the number of a list of functions that code is in, innermost first: the same one for the same
// arguments. Of one function alone the parameters may be unknown.
func (w *Writer) Called(list []Called) uint32 {
	body := appendCalls(nil, [][]Called{list})
	if len(list) == 1 && list[0].Bare {
		body = append(body, 1)
	}
	n, ok := w.called[string(body)]
	if !ok {
		n = uint32(len(w.called) + 1)
		w.called[string(body)] = n
		w.item(itemCalled, body)
	}
	return n
}

// AppendFrame begins a frame: so many calls out from the innermost one, in functions of a list of Called. The arguments of
// these are to follow, those of the innermost function first, without plural ones.
func AppendFrame(b []byte, depth int, list uint32) []byte {
	b = binary.LittleEndian.AppendUint16(b, frameMark)
	b = binary.LittleEndian.AppendUint16(b, uint16(depth))
	return binary.LittleEndian.AppendUint32(b, list)
}

// AppendArgument appends an argument: what a plan has written, as the field's type says; without a type, its text.
func AppendArgument(b []byte, f FieldID, outcome plan.Outcome, written []byte) []byte {
	if f > mostTypes || f == 0 {
		f, outcome = 1, plan.TooLong
	}
	if outcome != plan.Got {
		written = nil
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(f-1))
	b = append(b, byte(outcome), 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(written)))
	b = append(b, written...)
	for range -len(written) & 3 {
		b = append(b, 0)
	}
	return b
}
