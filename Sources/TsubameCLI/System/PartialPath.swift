// PartialPath: the temporary name of a file that is not complete yet.

enum PartialPath {
    /// A new name in the same folder, so that a rename replaces the target at once. It is hidden, and short even if the
    /// target's name is long. The random part keeps it apart from files of killed runs and of this process.
    static func beside(_ target: String) -> String {
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        return "\(folder).tsubame-\(random).part"
    }
}
