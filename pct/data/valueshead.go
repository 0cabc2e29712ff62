package data

import "encoding/binary"

// ValuesHead is what a file of values begins with that has no records yet, of a run with these fields.
func ValuesHead(fields []PlanField) []byte {
	b := make([]byte, valuesHeaderSize)
	copy(b, valuesMagic)
	b = AppendFields(b, fields)
	binary.LittleEndian.PutUint32(b[atValuesHeader:], valuesHeaderSize)
	binary.LittleEndian.PutUint32(b[atValuesFields:], uint32(len(b)-valuesHeaderSize))
	return b
}
