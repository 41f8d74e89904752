// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no user of the library resolves it. It uses product Tsubame as a consumer would.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Tsubame", path: "..")],
    targets: [
        .executableTarget(
            name: "tsubame-bench",
            dependencies: [.product(name: "Tsubame", package: "Tsubame")],
            swiftSettings: [.swiftLanguageMode(.v6)],
            linkerSettings: [
                .unsafeFlags(
                    ["-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections"], .when(platforms: [.linux]))
            ]),
        // The inspector's log, which needs no trait.
        .executableTarget(
            name: "logged-bench",
            dependencies: [
                .product(name: "Tsubame", package: "Tsubame"), .product(name: "TsubameInspector", package: "Tsubame"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)],
            linkerSettings: [
                .unsafeFlags(
                    ["-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections"], .when(platforms: [.linux]))
            ]),
        // The test kit without its trait: stubs and recordings, and none of the packages of the servers.
        .executableTarget(
            name: "testkit-consumer",
            dependencies: [
                .product(name: "Tsubame", package: "Tsubame"), .product(name: "TsubameTesting", package: "Tsubame"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
