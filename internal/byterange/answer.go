package byterange

// ContentRange returns the value of Content-Range for r in a representation of size bytes, `bytes 0-1/10` (RFC 9110,
// section 14.4).
func (r Range) ContentRange(size int64) string {
	return string(r.appendContentRange(nil, size))
}

func (r Range) appendContentRange(b []byte, size int64) []byte {
	b = append(b, unit+" "...)
	b = appendDecimal(b, r.Start)
	b = append(b, '-')
	b = appendDecimal(b, r.Start+r.Length-1)
	b = append(b, '/')
	return appendDecimal(b, size)
}

// Unsatisfied returns the value of Content-Range for an answer 416, `bytes */10` (RFC 9110, section 14.4).
func Unsatisfied(size int64) string {
	return string(appendDecimal([]byte(unit+" */"), size))
}

// PartHeader returns what stands before the bytes of a part of multipart/byteranges (RFC 9110, section 14.6): the
// delimiter, the fields of the part and the empty line. The line break before a delimiter belongs to the delimiter
// (RFC 2046, section 5.1.1); only the first one has none.
//
// contentType "" means that the part has no Content-Type. boundary and contentType are written as they are: neither
// may hold a line break, and boundary may not occur in the bytes of the parts.
func PartHeader(boundary, contentType string, r Range, size int64, first bool) string {
	var b []byte
	if !first {
		b = append(b, "\r\n"...)
	}
	b = append(b, "--"+boundary+"\r\n"...)
	if contentType != "" {
		b = append(b, "Content-Type: "+contentType+"\r\n"...)
	}
	b = append(b, "Content-Range: "...)
	b = r.appendContentRange(b, size)
	return string(append(b, "\r\n\r\n"...))
}

// Closing returns what stands after the bytes of the last part.
func Closing(boundary string) string {
	return "\r\n--" + boundary + "--\r\n"
}

// MultipartLength returns the length in bytes of the multipart body of ranges. It is -1 where an int64 does not hold
// it, which takes ranges that [Parse] took from a representation of nearly 8 EiB.
func MultipartLength(boundary, contentType string, ranges []Range, size int64) int64 {
	// The headers are made and measured, not calculated, so that they cannot differ from what is sent.
	length := int64(len(Closing(boundary)))
	for i, r := range ranges {
		length += int64(len(PartHeader(boundary, contentType, r, size, i == 0)))
		if r.Length > maxInt64-length {
			return -1
		}
		length += r.Length
	}
	return length
}
