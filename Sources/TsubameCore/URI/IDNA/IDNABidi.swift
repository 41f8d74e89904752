// IDNABidi: checks the labels of names with right-to-left text (RFC 5893 section 2).

enum IDNABidi {
    /// The bidirectional classes in the rule, by their numbers in the table.
    private struct Classes: OptionSet {
        let rawValue: Int

        static let leftToRight = Classes(rawValue: 1 << 0)
        static let rightToLeft = Classes(rawValue: 1 << 1)
        static let arabicLetter = Classes(rawValue: 1 << 2)
        static let europeanNumber = Classes(rawValue: 1 << 3)
        static let europeanSeparator = Classes(rawValue: 1 << 4)
        static let commonSeparator = Classes(rawValue: 1 << 5)
        static let europeanTerminator = Classes(rawValue: 1 << 6)
        static let arabicNumber = Classes(rawValue: 1 << 7)
        static let otherNeutral = Classes(rawValue: 1 << 8)
        static let boundaryNeutral = Classes(rawValue: 1 << 9)
        static let nonspacingMark = Classes(rawValue: 1 << 10)

        static let neutral: Classes = [
            .europeanSeparator, .commonSeparator, .europeanTerminator, .otherNeutral, .boundaryNeutral, .nonspacingMark,
        ]
    }

    private static let table = CodePointRuns(IDNATableData.bidiClasses, base: 12)

    private static func classes(_ scalar: UInt32) -> Classes { Classes(rawValue: 1 << Int(table[scalar])) }

    static func isRightToLeft(_ label: [UInt32]) -> Bool {
        let telling: Classes = [.rightToLeft, .arabicLetter, .arabicNumber]
        return label.contains { !telling.isDisjoint(with: classes($0)) }
    }

    /// The six conditions of the rule. If one label of a name is written from right to left, they apply to every label
    /// of the name.
    static func obeysRule(_ label: [UInt32]) -> Bool {
        let found = label.map(classes)
        guard let first = found.first, let last = found.last(where: { $0 != .nonspacingMark }) else {
            return label.isEmpty
        }
        let all = found.reduce(into: Classes()) { $0.formUnion($1) }
        if first == .leftToRight {
            return all.isSubset(of: Classes.neutral.union([.leftToRight, .europeanNumber]))
                && [.leftToRight, .europeanNumber].contains(last)
        }
        guard first == .rightToLeft || first == .arabicLetter else { return false }
        return all.isSubset(
            of: Classes.neutral.union([.rightToLeft, .arabicLetter, .arabicNumber, .europeanNumber]))
            && [.rightToLeft, .arabicLetter, .europeanNumber, .arabicNumber].contains(last)
            && !all.isSuperset(of: [.europeanNumber, .arabicNumber])
    }
}
