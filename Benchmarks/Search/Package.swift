// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since only this program needs the inspector's server.
let package = Package(
    name: "Search",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Tsubame", path: "../..", traits: [.defaults, "Inspector"])],
    targets: [
        .executableTarget(
            name: "inspector-search",
            dependencies: [
                .product(name: "Tsubame", package: "Tsubame"), .product(name: "TsubameInspector", package: "Tsubame"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
