// IDNAJoiner: where the zero-width joiner and non-joiner are allowed (RFC 5892 appendices A.1 and A.2).

enum IDNAJoiner {
    static let nonJoiner: UInt32 = 0x200C
    static let joiner: UInt32 = 0x200D

    private enum JoiningType {
        static let left: UInt8 = 1
        static let right: UInt8 = 2
        static let dual: UInt8 = 3
        static let transparent: UInt8 = 4
    }

    private static let joiningTypes = CodePointRuns(IDNATableData.joiningTypes, base: 5)
    /// The canonical combining class of a virama, which makes the consonant before it lose its vowel.
    private static let virama: UInt8 = 9

    /// Whether the character is allowed: after a virama, and for the non-joiner also between two letters that would
    /// join.
    static func isAllowed(at index: Int, in label: [UInt32]) -> Bool {
        if index > 0, NormalizationFormC.table.combiningClass(label[index - 1]) == virama { return true }
        guard label[index] == nonJoiner,
            let before = label[..<index].map({ joiningTypes[$0] }).last(where: { $0 != JoiningType.transparent }),
            let after = label[(index + 1)...].map({ joiningTypes[$0] }).first(where: { $0 != JoiningType.transparent })
        else { return false }
        return (before == JoiningType.left || before == JoiningType.dual)
            && (after == JoiningType.right || after == JoiningType.dual)
    }
}
