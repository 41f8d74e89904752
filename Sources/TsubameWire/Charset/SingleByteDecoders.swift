// SingleByteDecoders: the decoders of encodings with one byte for each character.

extension Charset {
    func decodeISOLatin1(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        while true {
            builder.append(ascii: cursor.nextASCII())
            guard let byte = cursor.next() else { return }
            builder.append(UInt32(byte))
        }
    }

    /// The single-byte decoder of WHATWG section 9.1.
    func decodeSingleByte(_ cursor: inout ByteCursor, into builder: inout TextBuilder) {
        // Only an encoding that was forgotten in the dictionary has no table. A test finds it.
        guard let upperHalf = Self.upperHalves[self] else { return decodeISOLatin1(&cursor, into: &builder) }
        while true {
            builder.append(ascii: cursor.nextASCII())
            let start = cursor.offset
            guard let byte = cursor.next() else { return }
            if let codePoint = upperHalf[Int(byte) - 0x80] {
                builder.append(codePoint)
            } else {
                builder.appendReplacement(forSequenceAt: start)
            }
        }
    }

    /// The characters of the bytes 80 to FF. All tables are filled at the first access, because together they are
    /// smaller than one table of two bytes.
    private static let upperHalves: [Charset: CharacterTable] = {
        let texts: [Charset: StaticString] = [
            .ibm866: SingleByteTableData.ibm866,
            .isoLatin2: SingleByteTableData.isoLatin2,
            .isoLatin3: SingleByteTableData.isoLatin3,
            .isoLatin4: SingleByteTableData.isoLatin4,
            .isoCyrillic: SingleByteTableData.isoCyrillic,
            .isoArabic: SingleByteTableData.isoArabic,
            .isoGreek: SingleByteTableData.isoGreek,
            .isoHebrew: SingleByteTableData.isoHebrew,
            .isoHebrewLogical: SingleByteTableData.isoHebrew,
            .isoLatin6: SingleByteTableData.isoLatin6,
            .isoLatin7: SingleByteTableData.isoLatin7,
            .isoLatin8: SingleByteTableData.isoLatin8,
            .isoLatin9: SingleByteTableData.isoLatin9,
            .isoLatin10: SingleByteTableData.isoLatin10,
            .koi8R: SingleByteTableData.koi8R,
            .koi8U: SingleByteTableData.koi8U,
            .macintosh: SingleByteTableData.macintosh,
            .macCyrillic: SingleByteTableData.macCyrillic,
            .windows874: SingleByteTableData.windows874,
            .windows1250: SingleByteTableData.windows1250,
            .windows1251: SingleByteTableData.windows1251,
            .windows1252: SingleByteTableData.windows1252,
            .windows1253: SingleByteTableData.windows1253,
            .windows1254: SingleByteTableData.windows1254,
            .windows1255: SingleByteTableData.windows1255,
            .windows1256: SingleByteTableData.windows1256,
            .windows1257: SingleByteTableData.windows1257,
            .windows1258: SingleByteTableData.windows1258,
        ]
        return texts.mapValues { CharacterTable(rows: 8, cells: 16, [(firstRow: 0, $0)]) }
    }()
}
