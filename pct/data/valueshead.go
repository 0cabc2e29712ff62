package data

import "encoding/binary"

// ValuesHead is what a file of values begins with that has no records yet, of a run with these fields. lists are
// functions that code is in, innermost first, if their arguments are evaluated.
func ValuesHead(fields []PlanField, lists [][]Called) []byte {
	b := make([]byte, valuesHeaderSize)
	copy(b, valuesMagic)
	b = AppendFields(b, fields, lists)
	binary.LittleEndian.PutUint32(b[atValuesHeader:], valuesHeaderSize)
	binary.LittleEndian.PutUint32(b[atValuesFields:], uint32(len(b)-valuesHeaderSize))
	return b
}
