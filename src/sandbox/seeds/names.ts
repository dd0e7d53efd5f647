/** Names for the larger seeds; paired by walking through both lists at different steps. */

const FIRST_NAMES =
  'Amélie Bashir Chiara Dmitri Eun-ji Farah Gustavo Hana Iker Jelena Kofi Leila Mateus Ngozi Oskar Paloma Quentin Rania Stefan Thandi Ulrich Valentina Wei Ximena Yusuf Zofia Anders Beatriz Cormac Deepa Emeka Freya Giulia Henrik Isabel Jakub Kamala Laszlo Miriam Nikos Olena Pedro Ragnhild Sanjay Tuula Uma Viktor Wanjiru Yara Zoltán Akira Brigitte Carmen Duc Elena Finn Gita Hassan Ines João Katarzyna Lars Mariam'.split(
    ' ',
  );
const LAST_NAMES =
  'Abebe Bianchi Castillo Dubois Eriksson Fernández Gupta Horváth Ivanova Jansen Kaya Larsen Mbeki Novák Ortega Petrov Quispe Rossi Santos Takahashi Ueda Virtanen Walsh Xu Yamamoto Zhang Almeida Bakker Chukwu Demir Estrada Fischer García Hoang Iyer Johansson Kim Lopes Moreau Nguyen Osei Papadopoulos Ramos Schmidt Traoré Urban Vargas Wójcik Yeboah Zamora Ahmed Brown Costa Diallo Evans Farkas Green Hughes'.split(
    ' ',
  );

const PROJECTS =
  'Airport signage|Allotment planner|Annual report|Archive search|Bicycle hire|Bookshop checkout|Bridge survey|Choir tickets|City marathon|Clinic intake|Coffee roastery|Dairy labels|Dental practice|Energy dashboard|Film festival|Garden centre|Hotel booking|Ice rink|Jazz club|Kindergarten portal|Library cards|Market stalls|Night bus|Observatory tours|Pottery classes'.split(
    '|',
  );

export const projectNames: readonly string[] = PROJECTS;

/** The name of the n-th person, from 0. The first 3,654 are all different. */
export const createPersonName = (n: number): readonly [first: string, last: string] => [
  FIRST_NAMES[n % FIRST_NAMES.length] ?? 'Kim',
  LAST_NAMES[(n + Math.floor(n / FIRST_NAMES.length)) % LAST_NAMES.length] ?? 'Lee',
];

/** An address for the n-th person: ASCII, and different for each. */
export const createEmailAddress = (n: number, domain: string): string => {
  const localPart = createPersonName(n)
    .join('.')
    .normalize('NFD')
    .replace(/[^A-Za-z.-]/g, '')
    .toLowerCase();
  return `${localPart}${n < FIRST_NAMES.length ? '' : n}@${domain}`;
};
