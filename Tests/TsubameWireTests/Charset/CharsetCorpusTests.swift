// CharsetCorpusTests: every sequence of one and two bytes in every encoding, against Python's codecs.

import Testing
import TsubameWire

/// `Scripts/tables/check-charsets.py` defines the sequences and the expected texts.
@Suite struct CharsetCorpusTests {
    /// The output of `Scripts/tables/check-charsets.py digests`, which checks the tables where there is no Python.
    static let digests: [(charset: Charset, lines: Int, digest: UInt64)] = [
        (.utf8, 78992, 0xdb8b_dfa8_fb36_8ad5),
        (.utf16, 65680, 0xac32_83aa_3e89_514d),
        (.utf16LittleEndian, 65680, 0xac32_83aa_3e89_514d),
        (.utf16BigEndian, 65680, 0x5690_47d9_0a83_628d),
        (.utf32LittleEndian, 12, 0x3a1a_d694_3d6c_fe81),
        (.utf32BigEndian, 12, 0x3a1a_d694_3d6c_fe81),
        (.isoLatin1, 65792, 0x7f88_02af_c46b_e425),
        (.windows1252, 65792, 0xb7ac_9099_78a7_e32a),
        (.ibm866, 65792, 0x07af_63bd_c58b_2b56),
        (.isoLatin2, 65792, 0x8def_9a30_e8d5_8ad4),
        (.isoLatin3, 65792, 0xd0f4_6205_364e_6e97),
        (.isoLatin4, 65792, 0xd234_fc39_cb9d_b835),
        (.isoCyrillic, 65792, 0xb61c_97a3_bcc3_8c27),
        (.isoArabic, 65792, 0x5733_f63d_87f2_fc10),
        (.isoGreek, 65792, 0xb131_6819_dbab_c3f5),
        (.isoHebrew, 65792, 0xc529_b616_2fcb_d3a1),
        (.isoHebrewLogical, 65792, 0xc529_b616_2fcb_d3a1),
        (.isoLatin6, 65792, 0x3bb5_d38c_1230_d47f),
        (.isoLatin7, 65792, 0x6cdc_31ba_447f_7c39),
        (.isoLatin8, 65792, 0x7419_7a0c_beca_0d4b),
        (.isoLatin9, 65792, 0xb52d_50d8_17cc_b4cc),
        (.isoLatin10, 65792, 0xf577_649e_979d_25c2),
        (.koi8R, 65792, 0x33d7_d74f_1f14_3221),
        (.koi8U, 65792, 0x9df9_b8d5_d61a_1379),
        (.macintosh, 65792, 0xa7f9_d6ca_5348_c1a9),
        (.macCyrillic, 65792, 0xde86_b81e_56e7_6787),
        (.windows874, 65792, 0x5636_3d51_a021_dd05),
        (.windows1250, 65792, 0x2496_cac2_57a3_7255),
        (.windows1251, 65792, 0xa399_6b68_8742_3fed),
        (.windows1253, 65792, 0x8ed8_e2cf_d265_5570),
        (.windows1254, 65792, 0x569b_0b11_8883_dc60),
        (.windows1255, 65792, 0x838f_2272_282a_1bb9),
        (.windows1256, 65792, 0x39b0_f6bb_e91f_934f),
        (.windows1257, 65792, 0xc689_7907_30a1_280a),
        (.windows1258, 65792, 0x446d_5f2b_f92a_cef7),
        (.shiftJIS, 65792, 0xb6cb_4c2f_7618_fbbd),
        (.eucJP, 131328, 0x82f3_af06_1d8e_83ad),
        (.iso2022JP, 198425, 0xd2ed_ce8b_36ac_0f8c),
        (.gbk, 71952, 0x05a5_f515_a3d4_c27b),
        (.gb18030, 71952, 0x05a5_f515_a3d4_c27b),
        (.big5, 65792, 0x36ca_c3f6_fa7a_498c),
        (.eucKR, 65792, 0x21ad_4c99_4d2a_e198),
    ]

    @Test func everyEncodingHasADigest() {
        #expect(Set(Self.digests.map(\.charset)) == Set(Charset.allCases))
    }

    @Test(arguments: digests)
    func everySequenceDecodesAsWhenThePythonCodecsWereAsked(charset: Charset, lines: Int, digest: UInt64) {
        let corpus = CharsetCorpus.of(charset)
        let text = charset.decode(corpus.lines).text
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        #expect(corpus.lineCount == lines)
        #expect(hash == digest)
    }

    @Test(
        .enabled(if: PythonCodecs.areThere, "python3 is not installed: only the digests of its answers were compared"),
        arguments: Charset.allCases)
    func everySequenceDecodesAsPythonDoes(in charset: Charset) async throws {
        let python = try await PythonCodecs.answer(charset)
        // Compared outside #expect, which would compute and print the difference of two megabytes.
        let sameSequences = python.lines == CharsetCorpus.of(charset).lines
        #expect(sameSequences, "the script makes other sequences")

        let text = Array(charset.decode(python.lines).text.utf8)
        if text != python.text {
            let place = zip(text, python.text).prefix { $0 == $1 }.count
            let (ours, theirs) = (text.dropFirst(place).prefix(12), python.text.dropFirst(place).prefix(12))
            Issue.record("from byte \(place) on: \(hexadecimal(ours)) instead of \(hexadecimal(theirs))")
        }
    }

    @Test(arguments: Charset.allCases)
    func aTextInPiecesDecodesAsTheWhole(in charset: Charset) {
        // A decoder looks for the byte order mark of UTF-16 before it reads a text in pieces.
        let lines = CharsetCorpus.of(charset).lines.suffix(40_003)
        let whole = charset.decode(lines).text
        for length in [1, 2, 3, 5, 4093] {
            var decoder = StreamingDecoder(charset)
            var text = ""
            var rest = lines
            while !rest.isEmpty {
                text += decoder.decode(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            text += decoder.finish()
            let isSame = text.unicodeScalars.elementsEqual(whole.unicodeScalars)
            #expect(isSame, "in pieces of \(length) bytes")
        }
    }
}
