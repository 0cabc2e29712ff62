package debuginfo

// A form is the encoding of an attribute's value.
type form uint16

const (
	formAddr         form = 0x01
	formBlock2       form = 0x03
	formBlock4       form = 0x04
	formData2        form = 0x05
	formData4        form = 0x06
	formData8        form = 0x07
	formString       form = 0x08
	formBlock        form = 0x09
	formBlock1       form = 0x0a
	formData1        form = 0x0b
	formFlag         form = 0x0c
	formSdata        form = 0x0d
	formStrp         form = 0x0e
	formUdata        form = 0x0f
	formRefAddr      form = 0x10
	formRef1         form = 0x11
	formRef2         form = 0x12
	formRef4         form = 0x13
	formRef8         form = 0x14
	formRefUdata     form = 0x15
	formIndirect     form = 0x16
	formSecOffset    form = 0x17
	formExprloc      form = 0x18
	formFlagPresent  form = 0x19
	formStrx         form = 0x1a
	formAddrx        form = 0x1b
	formRefSup4      form = 0x1c
	formStrpSup      form = 0x1d
	formData16       form = 0x1e
	formLineStrp     form = 0x1f
	formRefSig8      form = 0x20
	formImplicit     form = 0x21
	formLoclistx     form = 0x22
	formRnglistx     form = 0x23
	formRefSup8      form = 0x24
	formStrx1        form = 0x25
	formStrx2        form = 0x26
	formStrx3        form = 0x27
	formStrx4        form = 0x28
	formAddrx1       form = 0x29
	formAddrx2       form = 0x2a
	formAddrx3       form = 0x2b
	formAddrx4       form = 0x2c
	formGNUAddrIndex form = 0x1f01
	formGNUStrIndex  form = 0x1f02
	formGNURefAlt    form = 0x1f20 // of a dwz supplement, as formRefSup4/8
	formGNUStrpAlt   form = 0x1f21 // of a dwz supplement, as formStrpSup
)

// An encoding is what the sizes of some forms depend on.
type encoding struct {
	version  int
	addrsize int
	offsize  int
}

// A value is an attribute's value before it is resolved: an integer, an address,
// an offset or an index, as its form says; of a string, a block and a formData16 where it
// stands in the section.
type value struct {
	form form
	u    uint64
}

func (v value) ok() bool { return v.form != 0 }

// size returns how many bytes f takes, -1 where that is not fixed.
func (e encoding) size(f form) int {
	switch f {
	case formFlagPresent, formImplicit:
		return 0
	case formData1, formRef1, formFlag, formStrx1, formAddrx1:
		return 1
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2
	case formStrx3, formAddrx3:
		return 3
	case formData4, formRef4, formRefSup4, formStrx4, formAddrx4:
		return 4
	case formData8, formRef8, formRefSig8, formRefSup8:
		return 8
	case formData16:
		return 16
	case formAddr:
		return e.addrsize
	case formRefAddr:
		if e.version <= 2 {
			return e.addrsize
		}
		return e.offsize
	case formStrp, formLineStrp, formStrpSup, formSecOffset, formGNURefAlt, formGNUStrpAlt:
		return e.offsize
	}
	return -1
}

// read reads a value of form f; implicit is the abbreviation's own, for
// formImplicit. A form that is not known makes the cursor bad.
func (e encoding) read(c *cursor, f form, implicit int64) value {
	if f == formIndirect {
		f = form(c.uleb())
		if f == formIndirect || f == formImplicit {
			c.fail()
			return value{}
		}
	}
	v := value{form: f}
	switch n := e.size(f); {
	case f == formImplicit:
		v.u = uint64(implicit)
	case f == formFlagPresent:
		v.u = 1
	case n > 8:
		v.u = uint64(c.off)
		c.skip(uint64(n))
	case n > 0:
		v.u = c.uint(n)
	default:
		switch f {
		case formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex, formGNUStrIndex:
			v.u = c.uleb()
		case formSdata:
			v.u = uint64(c.sleb())
		case formString:
			v.u = uint64(c.off)
			c.skipStr()
		case formBlock, formExprloc, formBlock1, formBlock2, formBlock4:
			v.u = uint64(c.off)
			c.skip(c.blockSize(f))
		default:
			c.fail()
		}
	}
	return v
}

// blockSize reads the size of a block of form f, which stands before its bytes.
func (c *cursor) blockSize(f form) uint64 {
	switch f {
	case formBlock1:
		return c.uint(1)
	case formBlock2:
		return c.uint(2)
	case formBlock4:
		return c.uint(4)
	}
	return c.uleb()
}
