package expression

import "github.com/profilecollection/pct/internal/value"

// pointerTo is the type of a pointer to t.
func pointerTo(t *value.Type) *value.Type { return &value.Type{Kind: value.Pointer, Size: 8, Elem: t} }

// The types that C gives to numbers and to the results of operators.
var (
	intType        = &value.Type{Kind: value.Integer, Name: "int", Size: 4, Signed: true}
	uintType       = &value.Type{Kind: value.Integer, Name: "unsigned int", Size: 4}
	longType       = &value.Type{Kind: value.Integer, Name: "long", Size: 8, Signed: true}
	ulongType      = &value.Type{Kind: value.Integer, Name: "unsigned long", Size: 8}
	charType       = &value.Type{Kind: value.Character, Name: "char", Size: 1, Signed: true}
	boolType       = &value.Type{Kind: value.Boolean, Name: "bool", Size: 1}
	floatType      = &value.Type{Kind: value.Float, Name: "float", Size: 4, Signed: true}
	doubleType     = &value.Type{Kind: value.Float, Name: "double", Size: 8, Signed: true}
	longDoubleType = &value.Type{Kind: value.Float, Name: "long double", Size: 16, Signed: true}
	voidType       = &value.Type{Kind: value.Void, Name: "void"}
	codePointer    = &value.Type{Kind: value.Pointer, Size: 8, Elem: &value.Type{Kind: value.Function, Size: 1, Elem: voidType}}
	dataPointer    = &value.Type{Kind: value.Pointer, Size: 8, Elem: voidType}
)

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
